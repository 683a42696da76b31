/**
 * Clients in a process of their own: `bun bench/support/clients.ts JSON`. Prints one line of JSON, what they got.
 */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile } from './installation.ts'

const PROBE_EVERY_MS = 20

export interface ClientsPlan {
  readonly url: string
  readonly paths: readonly string[]
  readonly cookies: readonly string[]
  readonly seconds: number
  /** Clients that each ask for one thing after another. */
  readonly connections: number
  /** Clients that wait for longer leave. */
  readonly patienceMs: number
}

export interface ClientsReport {
  readonly asked: number
  /** Answers a second. */
  readonly answeredPerSecond: number
  readonly refused: number
  readonly left: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Runs a plan in a process of its own, so that neither its clients nor their answers wait for those of others. */
export async function runClients(plan: ClientsPlan): Promise<ClientsReport> {
  const run = Bun.spawn(['nice', '-n', '19', 'bun', import.meta.path, JSON.stringify(plan)], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '20000' },
    stdout: 'pipe',
  })
  return (await new Response(run.stdout).json()) as ClientsReport
}

export interface Flood {
  readonly url: string
  readonly paths: readonly string[]
  readonly cookies: readonly string[]
  readonly seconds: number
  /** Clients that ask for one thing after another, without a pause. */
  readonly connections: number
}

export interface FloodReport {
  readonly answeredPerSecond: number
  readonly refusedPerSecond: number
}

/**
 * The same from wrk, which asks for more than a client of ours can. Answers are compressed, as for every browser: as they are, a thousand
 * clients that read slowly fill the memory of sockets, and the kernel takes four times as long for each.
 */
export async function runFlood(flood: Flood): Promise<FloodReport> {
  const { url, paths, cookies, seconds, connections } = flood
  const script = join(tmpdir(), `portico-flood-${process.pid}.lua`)
  const list = (texts: readonly string[]) => `{${texts.map((text) => JSON.stringify(text)).join()}}`
  await Bun.write(
    script,
    `local paths, cookies, at = ${list(paths)}, ${list(cookies)}, 0
request = function()
  at = at + 1
  local headers = { Cookie = cookies[at % #cookies + 1], ['Accept-Encoding'] = 'gzip' }
  return wrk.format('GET', paths[at % #paths + 1], headers)
end
`,
  )
  const options = ['-t1', `-c${connections}`, `-d${seconds}`, '--timeout=3', '-s', script]
  const run = Bun.spawn(['nice', '-n', '19', 'wrk', ...options, url], { stdout: 'pipe' })
  const text = await new Response(run.stdout).text()
  await rm(script)
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0) / seconds
  const refusedPerSecond = count(/Non-2xx or 3xx responses: (\d+)/)
  return {
    answeredPerSecond: count(/(\d+) requests in/) - refusedPerSecond,
    refusedPerSecond,
  }
}

/** Milliseconds of one request after another, with a pause, until the work ends. Throws when one is refused. */
export async function timesDuring(
  url: string,
  cookie: string,
  work: Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = []
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  while (!state.isDone) {
    const askedAt = performance.now()
    const response = await fetch(url, { headers: { cookie } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} is answered ${response.status}`)
    times.push(performance.now() - askedAt)
    await Bun.sleep(PROBE_EVERY_MS)
  }
  await done
  return times
}

async function main({ url, paths, cookies, seconds, connections, patienceMs }: ClientsPlan) {
  const times: number[] = []
  let asked = 0
  let refused = 0
  let left = 0

  async function ask(): Promise<void> {
    const at = asked
    asked += 1
    const path = paths[at % paths.length] ?? '/'
    const cookie = cookies[at % cookies.length] ?? ''
    const startedAt = performance.now()
    try {
      const response = await fetch(`${url}${path}`, {
        headers: { cookie, 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(patienceMs),
      })
      await response.arrayBuffer()
      if (response.status === 200) times.push(performance.now() - startedAt)
      else refused += 1
    } catch {
      left += 1
    }
  }

  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const client = async () => {
    while (performance.now() < endsAt) await ask()
  }
  await Promise.all(Array.from({ length: connections }, client))
  const report: ClientsReport = {
    asked,
    answeredPerSecond: times.length / seconds,
    refused,
    left,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  }
  console.log(JSON.stringify(report))
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as ClientsPlan)
