/**
 * Clients in a process of their own: `bun bench/support/clients.ts JSON`. Prints one line of JSON, what they got.
 */
import { percentile } from './installation.ts'

export interface ClientsPlan {
  readonly url: string
  readonly paths: readonly string[]
  readonly cookies: readonly string[]
  readonly seconds: number
  /** Requests a second, whatever is answered; or clients that each ask for one thing after another. */
  readonly offered: { readonly perSecond: number } | { readonly connections: number }
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

/** The same from wrk, for answers that are cheaper than a client of ours: so many clients ask for one thing after another. */
export async function runWrk(
  url: string,
  cookie: string,
  plan: { readonly connections: number; readonly seconds: number },
): Promise<ClientsReport> {
  const options = ['-t1', `-c${plan.connections}`, `-d${plan.seconds}`, '--latency', '--timeout=3']
  const run = Bun.spawn(['nice', '-n', '19', 'wrk', ...options, '-H', `Cookie: ${cookie}`, url], {
    stdout: 'pipe',
  })
  const text = await new Response(run.stdout).text()
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  const latencyMs = (share: string) => {
    const [, value, unit = ''] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? []
    return Number(value) * ({ us: 0.001, ms: 1, s: 1_000 }[unit] ?? Number.NaN)
  }
  const asked = count(/(\d+) requests in/)
  const refused = count(/Non-2xx or 3xx responses: (\d+)/)
  return {
    asked,
    answeredPerSecond: (asked - refused) / plan.seconds,
    refused,
    left: count(/timeout (\d+)/),
    p50Ms: latencyMs('50'),
    p99Ms: latencyMs('99'),
  }
}

async function main({ url, paths, cookies, seconds, offered, patienceMs }: ClientsPlan) {
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
  if ('connections' in offered) {
    const client = async () => {
      while (performance.now() < endsAt) await ask()
    }
    await Promise.all(Array.from({ length: offered.connections }, client))
  } else {
    const all: Promise<void>[] = []
    while (performance.now() < endsAt) {
      const due = ((performance.now() - startedAt) / 1_000) * offered.perSecond
      while (asked < due) all.push(ask())
      await Bun.sleep(1)
    }
    await Promise.all(all)
  }
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
