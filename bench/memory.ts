/**
 * The memory of a busy replica, and what grows in its heap: lists, states, streams, people who come and go, a push every ten seconds.
 * `bun bench/memory.ts [minutes] [entities]`
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInstallation, startPortico, untilComplete } from './support/installation.ts'
import { row } from './support/row.ts'

const MINUTES = Number(process.argv[2] ?? 20)
const ENTITIES = Number(process.argv[3] ?? 1_000)
const PORT = 8_097
const PERSONS = 60
const STREAMS = 60
const READERS = 4
const PUSH_EVERY_MS = 10_000
const ROW_EVERY_MS = 60_000
const LARGEST = 12

interface Counts {
  readonly heapSize: number
  readonly heapCapacity: number
  readonly extraMemorySize: number
  readonly objectCount: number
  readonly objectTypeCounts: Readonly<Record<string, number>>
  readonly rss: number
}

const installation = await createInstallation(ENTITIES)
const cookies = await installation.signIn(
  Array.from({ length: PERSONS }, (_, index) => `person-${index}`),
)
const countsFile = join(installation.directory, 'heap-counts.json')
const portico = await startPortico(installation, PORT, {
  env: {
    HEAP_COUNTS_FILE: countsFile,
    BUN_OPTIONS: `--preload ${join(import.meta.dir, 'support/heap-counts.ts')}`,
    READS_PER_MINUTE: '100000',
  },
})
await untilComplete(() => portico.get('/api/v1/catalog/entities?limit=1'), portico.startedAt)

async function counts(): Promise<Counts> {
  rmSync(countsFile, { force: true })
  process.kill(portico.pid, 'SIGUSR2')
  while (!existsSync(countsFile)) await Bun.sleep(20)
  return (await Bun.file(countsFile).json()) as Counts
}

const over = new AbortController()
const isOver = () => over.signal.aborted
const cookieOf = (at: number) => cookies[at % cookies.length] ?? ''
const asked = { reads: 0, streams: 0, pushes: 0 }
const names = installation.files.flatMap(({ path }) => {
  const [, kind, file] = /^catalog\/(\w+)\/(?:.*\/)?([\w-]+)\.yaml$/.exec(path) ?? []
  return kind === 'component' && file !== undefined ? [file] : []
})

async function read(reader: number): Promise<void> {
  for (let at = reader; !isOver(); at += READERS) {
    const name = names[at % names.length]
    const paths = [
      '/api/v1/catalog/entities',
      `/api/v1/catalog/entities?q=${at % 97}`,
      `/api/v1/catalog/entities/component/${name}`,
      `/api/v1/catalog/entities/component/${name}/promotion`,
      '/api/v1/environments?limit=50',
    ]
    const response = await fetch(`${portico.url}${paths[at % paths.length]}`, {
      headers: { cookie: cookieOf(at) },
    }).catch(() => undefined)
    await response?.arrayBuffer().catch(() => undefined)
    asked.reads += 1
    await Bun.sleep(5)
  }
}

/** Opens a stream, reads a while, leaves, and opens the next one. */
async function follow(person: number): Promise<void> {
  for (let at = person; !isOver(); at += STREAMS) {
    const leaving = AbortSignal.any([over.signal, AbortSignal.timeout(2_000 + (at % 5_000))])
    try {
      const stream = await fetch(`${portico.url}/api/v1/events?topics=catalog,promotions`, {
        headers: { cookie: cookieOf(at) },
        signal: leaving,
      })
      asked.streams += 1
      for await (const _ of stream.body ?? []) if (isOver()) break
    } catch {
      await Bun.sleep(50)
    }
  }
}

async function push(): Promise<void> {
  for (let at = 0; !isOver(); at += 1) {
    const file = installation.files[at % installation.files.length]
    if (file === undefined) return
    await installation.commit([{ path: file.path, text: `${file.text}# ${at}\n` }])
    await portico.refresh()
    asked.pushes += 1
    await Bun.sleep(PUSH_EVERY_MS)
  }
}

const load = [
  ...Array.from({ length: READERS }, (_, reader) => read(reader)),
  ...Array.from({ length: STREAMS }, (_, person) => follow(person)),
  push(),
]
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
row('minute', 'resident, MB', 'reads', 'streams')
const cells = async () => [
  (await portico.residentMegabytes()).toFixed(1),
  `${asked.reads}`,
  `${asked.streams}`,
]
await Bun.sleep(ROW_EVERY_MS)
row('1', ...(await cells()))
const first = await counts()
for (let minute = 2; minute <= MINUTES; minute += 1) {
  await Bun.sleep(ROW_EVERY_MS)
  row(`${minute}`, ...(await cells()))
}
const last = await counts()
over.abort()
await Promise.allSettled(load)
console.log(asked)
row('after a collection', 'resident, MB', 'heap, MB', 'extra, MB', 'objects')
for (const [when, { rss, heapSize, extraMemorySize, objectCount }] of Object.entries({
  first,
  last,
})) {
  row(when, ...[rss, heapSize, extraMemorySize].map(megabytes), `${objectCount}`)
}
const grown = Object.entries(last.objectTypeCounts)
  .map(([type, count]) => [type, count - (first.objectTypeCounts[type] ?? 0)] as const)
  .toSorted(([, one], [, other]) => other - one)
row('objects that have become more since the first minute', 'more', 'now')
for (const [type, more] of grown.slice(0, LARGEST)) {
  row(type, `${more}`, `${last.objectTypeCounts[type]}`)
}
await portico.stop()
await installation.remove()
