/**
 * A rolling update under load: three replicas of OLD become NEW and then OLD again, one after the other, behind a load balancer. By
 * hand, because a checkout has no old executable: `bun tests/load/rolling-update.ts OLD NEW`. Fails when an answer, a row or a
 * session is lost.
 */
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { startRoundRobin } from '#tests/peers/round-robin.ts'
import type { PorticoProcess } from '#tests/support/portico-process.ts'
import { PORTAL_HOST } from '#tests/support/installation.ts'
import { openReplicas, refreshCatalog } from '#tests/support/replicas.ts'
import { signedIn } from '#tests/support/signed-in.ts'

const REPLICAS = 3
const SESSIONS = 20
const READERS = 8
const SETTLE_MS = 3000
const RUN_DEADLINE_MS = 60_000

const [oldProgram, newProgram] = process.argv.slice(2)
if (oldProgram === undefined || newProgram === undefined || postgresBinaries === undefined) {
  throw new Error('bun tests/load/rolling-update.ts OLD NEW, on a machine with PostgreSQL')
}

await using postgres = await startPostgres(postgresBinaries)
const DATABASE_URL = await postgres.createDatabase()
await using installation = await openReplicas({ DATABASE_URL, DATABASE_LISTEN_URL: DATABASE_URL })
let replicas: readonly PorticoProcess[] = await Promise.all(
  Array.from({ length: REPLICAS }, () => installation.start([oldProgram])),
)
await using balancer = startRoundRobin(replicas.map(({ url }) => url))

/** What was asked, and each answer that was not the expected one. */
const asked = { reads: 0, runs: 0, webhooks: 0 }
const unexpected = new Map<string, number>()
const runs: string[] = []

const cookies = await signedIn(DATABASE_URL, SESSIONS)

async function ask(
  what: keyof typeof asked,
  expected: number,
  send: () => Promise<Response>,
): Promise<Response | undefined> {
  asked[what] += 1
  const response = await send().catch((error: unknown) => String(error))
  const status = typeof response === 'string' ? response : String(response.status)
  if (status === String(expected) && typeof response !== 'string') return response
  const key = `${what}: ${status}`
  unexpected.set(key, (unexpected.get(key) ?? 0) + 1)
  return undefined
}

const over = new AbortController()
const repeat = async (everyMs: number, act: (round: number) => Promise<void>) => {
  for (let round = 0; !over.signal.aborted; round++) {
    await act(round)
    await Bun.sleep(everyMs)
  }
}
const headersOf = (round: number) => ({
  host: PORTAL_HOST,
  cookie: cookies[round % cookies.length] ?? '',
})

const load = [
  ...Array.from({ length: READERS }, (_, reader) =>
    repeat(5, async (round) => {
      const read = await ask('reads', 200, () =>
        fetch(`${balancer.url}/api/v1/catalog/entities`, { headers: headersOf(round + reader) }),
      )
      await read?.arrayBuffer()
    }),
  ),
  repeat(500, async (round) => {
    const body = JSON.stringify({
      templateId: 'service',
      appName: `app-${round}`,
      team: 'payments',
      namespace: 'payments',
    })
    const headers = { ...headersOf(round), 'content-type': 'application/json' }
    const begun = await ask('runs', 200, () =>
      fetch(`${balancer.url}/api/v1/scaffold`, { method: 'POST', headers, body }),
    )
    if (begun !== undefined) runs.push(`${round} ${begun.headers.get('x-run-id')}`)
    await begun?.body?.cancel().catch(() => undefined)
  }),
  repeat(300, async () => void (await ask('webhooks', 204, () => refreshCatalog(balancer)))),
]

/** As Kubernetes does: one more, then one less. */
async function update(name: string, program: string): Promise<void> {
  const startedAt = performance.now()
  for (const leaving of replicas) {
    const arriving = await installation.start([program])
    while ((await fetch(`${arriving.url}/readyz`)).status !== 200) await Bun.sleep(20)
    replicas = [...replicas.filter((replica) => replica !== leaving), arriving]
    balancer.use([...replicas, leaving].map(({ url }) => url))
    await Bun.sleep(500)
    await leaving.end('SIGTERM')
    balancer.use(replicas.map(({ url }) => url))
  }
  console.log(`${name}: ${Math.round(performance.now() - startedAt)} ms`)
  await Bun.sleep(SETTLE_MS)
}

await Bun.sleep(SETTLE_MS)
await update('old to new', newProgram)
await update('new to old', oldProgram)
over.abort()
await Promise.all(load)

let ended = 0
for (const cookie of cookies) {
  const headers = { host: PORTAL_HOST, cookie }
  const { status } = await fetch(`${balancer.url}/api/v1/auth/session`, { headers })
  if (status !== 200) ended += 1
}
let lost = 0
for (const run of runs) {
  const [round = '', id = ''] = run.split(' ')
  const headers = headersOf(Number(round))
  const deadline = Date.now() + RUN_DEADLINE_MS
  for (;;) {
    const response = await fetch(`${balancer.url}/api/v1/scaffold/runs/${id}`, { headers })
    const { status } = (await response.json()) as { readonly status?: string }
    if (status === 'complete') break
    if (Date.now() > deadline) {
      lost += 1
      console.error(`run ${id}: ${status}`)
      break
    }
    await Bun.sleep(100)
  }
}
console.log({
  ...asked,
  unexpected: Object.fromEntries(unexpected),
  lostRuns: lost,
  endedSessions: ended,
})
if (unexpected.size > 0 || lost > 0 || ended > 0) process.exitCode = 1
