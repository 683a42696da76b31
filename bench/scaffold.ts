/**
 * Scaffold runs on the demo's embedded adapters, in the real process: duration of one run and of 16 concurrent ones, delay of
 * events, delay from a merge to the catalog, and the cost of idle readers. `bun bench/scaffold.ts [runs]`
 */
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventsOf } from '#tests/support/event-stream.ts'
import { startDemo } from './support/demo.ts'
import { median, percentile } from './support/installation.ts'

const RUNS = Number(process.argv[2] ?? 30)
const AT_ONCE = 16
const MERGES = 10
const READERS = 1_000
const PORT = 4184
const ORIGIN = `http://127.0.0.1:${PORT}`

const report = (measure: string, value: string) => console.log(`  ${measure.padEnd(62)} ${value}`)
const fixed = (ms: number) => ms.toFixed(0)

const directory = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const { child: demo, signIn } = startDemo(PORT, directory)
const dev = await signIn('dev')
const platform = await signIn('platform')

/** Scaffolds a project. Returns its duration, its pull request and the time of each event. */
async function scaffold(appName: string) {
  const since = performance.now()
  const response = await fetch(`${ORIGIN}/api/v1/scaffold`, {
    method: 'POST',
    headers: { cookie: dev, 'content-type': 'application/json' },
    body: JSON.stringify({
      templateId: 'bun-service',
      appName,
      team: 'payments',
      namespace: 'payments-dev',
    }),
  })
  const arrivals: number[] = []
  for await (const { event, data } of eventsOf(response)) {
    arrivals.push(Date.now())
    if (event === 'failed') throw new Error(JSON.stringify(data))
    if (event === 'done') {
      const id = response.headers.get('x-run-id') ?? ''
      return { ms: performance.now() - since, id, number: Number(data['prNumber']), arrivals }
    }
  }
  throw new Error(`the stream of ${appName} ended early: ${response.status}`)
}

for (let warm = 0; warm < 5; warm++) await scaffold(`warm-${warm}`)
const runs: Awaited<ReturnType<typeof scaffold>>[] = []
for (let run = 0; run < RUNS; run++) runs.push(await scaffold(`app-${run}`))
const took = runs.map(({ ms }) => ms)
report('a whole run, ms (p50, worst)', `${fixed(median(took))}, ${fixed(Math.max(...took))}`)

const journal = new Database(join(directory, 'portico.sqlite'), { readonly: true })
const late = runs.flatMap(({ id, arrivals }) =>
  journal
    .query<{ at: number }, [string]>('SELECT at FROM run_event WHERE run_id = ? ORDER BY seq')
    .all(id)
    .map(({ at }, index) => (arrivals[index] ?? 0) - at),
)
journal.close()
report('event to client, ms (p50, p99)', `${median(late)}, ${percentile(late, 0.99)}`)

const since = performance.now()
const many = await Promise.all(Array.from({ length: AT_ONCE }, (_, run) => scaffold(`many-${run}`)))
report(
  `${AT_ONCE} at once, ms (all done, slowest run)`,
  `${fixed(performance.now() - since)}, ${fixed(Math.max(...many.map(({ ms }) => ms)))}`,
)

const shown: number[] = []
for (const [index, { number }] of runs.slice(0, MERGES).entries()) {
  const merged = await fetch(`${ORIGIN}/git/acme/gitops/pulls/${number}/merge`, {
    method: 'POST',
    headers: { cookie: platform, accept: 'application/json' },
  })
  if (!merged.ok) throw new Error(`merge answered ${merged.status}`)
  const since = performance.now()
  for (;;) {
    const entity = await fetch(`${ORIGIN}/api/v1/catalog/entities/component/app-${index}`, {
      headers: { cookie: dev },
    })
    if (entity.ok) break
  }
  shown.push(performance.now() - since)
}
report(
  'merged to shown by the catalog, ms (p50, worst)',
  `${fixed(median(shown))}, ${fixed(Math.max(...shown))}`,
)
demo.kill()
await demo.exited
await rm(directory, { recursive: true, force: true })

const streams = Bun.spawn(['bun', 'bench/support/idle-streams.ts', String(PORT)], {
  stdin: 'pipe',
  stdout: 'pipe',
})
const lines = streams.stdout.getReader()
const nextLine = async () => new TextDecoder().decode((await lines.read()).value).trim()
const resident = async () => {
  await streams.stdin.write('\n')
  await streams.stdin.flush()
  return Number(await nextLine())
}
await nextLine()
await openReader().then((reader) => reader.end())
const before = await resident()
const readers = await Promise.all(Array.from({ length: READERS }, openReader))
await Bun.sleep(2_000)
const after = await resident()
report(
  `${READERS} idle readers, MB (before, more)`,
  `${fixed(before)}, ${(after - before).toFixed(1)}`,
)
for (const reader of readers) reader.end()
streams.kill()

/** Opens a plain socket, because `fetch` limits connections. Resolves with the first bytes of the stream. */
function openReader(): Promise<Bun.Socket> {
  const opened = Promise.withResolvers<Bun.Socket>()
  void Bun.connect({
    hostname: '127.0.0.1',
    port: PORT,
    socket: {
      open: (socket) => void socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'),
      data: (socket) => opened.resolve(socket),
      error: (_, error) => opened.reject(error),
    },
  }).catch(opened.reject)
  return opened.promise
}
