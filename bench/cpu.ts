/**
 * Processor time, which a busy machine changes less than wall time. Microseconds of the main thread per request, beside a bare
 * `Bun.serve` that sends the same bytes, in interleaved rounds; then processor milliseconds per start. Linux only.
 * `[PORTICO_EXECUTABLE=dist/portico] bun bench/cpu.ts [rounds] [requests] [entities…]`
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startBareServer } from './support/bare.ts'
import { sendOver } from './support/connections.ts'
import {
  createInstallation,
  type Installation,
  median,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { allThreadsMilliseconds, mainThreadMicroseconds } from './support/processor-time.ts'
import { row } from './support/row.ts'

const [rounds = 5, requests = 10_000, ...sizes] = process.argv.slice(2).map(Number)
const executable = process.env['PORTICO_EXECUTABLE']
const PORT = 4186
const BARE_PORT = 4187
const LIST = '/api/v1/catalog/entities'
const CONNECTIONS = 16
/** The whole list is a thousand times a page. */
const WHOLE_LIST_SHARE = 0.1
/** The parsed files are kept five seconds after a load. */
const KEPT_AFTER_MS = 8_000
const PAUSE_MS = 2

const shown = (values: readonly number[], digits = 0) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)})`

async function perRequest(): Promise<void> {
  const installation = await createInstallation(1_000)
  const { cookie, files } = installation
  const portico = await startPortico(installation, PORT, { executable })
  await untilComplete(() => portico.get(LIST), portico.startedAt)
  const first = files.find(({ path }) => path.startsWith('catalog/component/'))
  const name = first?.path.split('/').at(-1)?.replace('.yaml', '')
  const targets = [
    ['page of 20', `${LIST}?kind=component&lifecycle=production&limit=20`, 1],
    ['full text, repeated', `${LIST}?q=gateway&limit=20`, 1],
    ['single entity', `${LIST}/component/${name}`, 1],
    ['whole list', LIST, WHOLE_LIST_SHARE],
  ] as const
  const paths = targets.map(([, path]) => path)
  const bare = await startBareServer({ port: BARE_PORT, cookie, origin: portico.url, paths })

  const microseconds = async (pid: number, url: string, count: number): Promise<number> => {
    const before = await mainThreadMicroseconds(pid)
    await sendOver(url, { cookie, connections: CONNECTIONS, requests: count })
    return ((await mainThreadMicroseconds(pid)) - before) / count
  }
  row(`µs of the main thread per request, ${CONNECTIONS} connections`, 'Portico', 'bare')
  for (const [label, path, share] of targets) {
    const count = requests * share
    const ours: number[] = []
    const limit: number[] = []
    // The first round warms up the compiler.
    for (let round = 0; round <= rounds; round++) {
      limit.push(await microseconds(bare.pid, `${bare.url}${path}`, count))
      ours.push(await microseconds(portico.pid, `${portico.url}${path}`, count))
    }
    row(label, shown(ours.slice(1), 1), shown(limit.slice(1), 1))
  }
  bare.stop()
  await portico.stop()
  await installation.remove()
}

/** Processor time from exec to the first complete answer, of the main thread and of all. */
async function perStart(
  label: string,
  installation: Installation,
  path: string,
  before = async () => {},
) {
  const all: number[] = []
  const main: number[] = []
  const wall: number[] = []
  const resident: number[] = []
  for (let round = 0; round < rounds; round++) {
    await before()
    const portico = await startPortico(installation, PORT, { executable })
    wall.push((await untilComplete(() => portico.get(path), portico.startedAt, PAUSE_MS)).ms)
    all.push(await allThreadsMilliseconds(portico.pid))
    main.push((await mainThreadMicroseconds(portico.pid)) / 1_000)
    resident.push(await portico.residentMegabytes())
    await portico.stop()
  }
  row(label, shown(all), shown(main), shown(wall), shown(resident))
}

await perRequest()
row('median (least) of a start', 'all threads, ms', 'main thread, ms', 'wall, ms', 'resident, MB')
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000]) {
  const installation = await createInstallation(size)
  const forget = () => rm(join(installation.directory, 'catalog.parsed'), { force: true })
  if (size <= 1_000) await perStart('healthz', installation, '/healthz')
  await perStart(`first list of ${size}`, installation, LIST, forget)
  const portico = await startPortico(installation, PORT, { executable })
  await untilComplete(() => portico.get(LIST), portico.startedAt)
  await Bun.sleep(KEPT_AFTER_MS)
  row(`at rest with ${size}`, '', '', '', (await portico.residentMegabytes()).toFixed(0))
  await portico.stop()
  if (executable !== undefined) await perStart('  restart', installation, LIST)
  await installation.remove()
}
