/**
 * What installations of three sizes take: memory and disk after a minute of use by a person for every ten services, the processor time
 * of a read, the start. `bun bench/sizing.ts [services…]`
 *
 * Seven of ten entities are services. Processor time, not wall time: it is nearly the same on a busy machine.
 */
import { join } from 'node:path'
import { createInstallation, startPortico, untilComplete } from './support/installation.ts'
import { allThreadsMilliseconds } from './support/processor-time.ts'
import { row } from './support/row.ts'

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [50, 500, 5_000]
const SERVICES_SHARE = 0.7
const READS = 3_000
const AT_ONCE = 8
const PORT = 8_098
/** What people look at. */
const PATHS = [
  '/api/v1/catalog/entities?limit=50',
  '/api/v1/catalog/entities?q=pay&limit=50',
  '/api/v1/catalog/entities?kind=component&lifecycle=production&limit=50&offset=20',
  '/api/v1/catalog/facets',
  '/api/v1/environments?team=team-1',
]

row('services', 'start', 'memory', 'disk', 'processor, a read')
for (const services of SIZES) {
  const installation = await createInstallation(Math.round(services / SERVICES_SHARE))
  const persons = Array.from(
    { length: Math.max(4, services / 10) },
    (_, index) => `person-${index}`,
  )
  const cookies = await installation.signIn(persons)
  const portico = await startPortico(installation, PORT, { env: { READS_PER_MINUTE: '100000' } })
  const { ms } = await untilComplete(() => portico.get(PATHS[0] ?? ''), portico.startedAt)
  const read = async (count: number) => {
    const readers = Array.from({ length: AT_ONCE }, async (_, reader) => {
      for (let index = reader; index < count; index += AT_ONCE) {
        const cookie = cookies[index % cookies.length] ?? ''
        const response = await portico.get(PATHS[index % PATHS.length] ?? '', { cookie })
        if (response.status !== 200) throw new Error(`${response.status} ${response.url}`)
        await response.arrayBuffer()
      }
    })
    await Promise.all(readers)
  }
  await read(READS)
  const before = await allThreadsMilliseconds(portico.pid)
  await read(READS)
  const processor = ((await allThreadsMilliseconds(portico.pid)) - before) / READS
  const disk = Bun.spawnSync(['du', '-sk', join(installation.directory)])
  row(
    String(services),
    `${(ms / 1_000).toFixed(1)} s`,
    `${(await portico.residentMegabytes()).toFixed(0)} MB`,
    `${(Number.parseInt(disk.stdout.toString(), 10) / 1_000).toFixed(0)} MB`,
    `${processor.toFixed(2)} ms`,
  )
  await portico.stop()
  await installation.remove()
}
