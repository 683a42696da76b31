/**
 * The streams of 500 pages with five topics each in the executable: resident memory, and the time until a change in git is on every
 * page, compared with a plain Bun server that forwards the same watches and sends the same events. Garbage collection is not forced.
 * `bun bench/events.ts [rounds]`
 */
import { connect, type Socket } from 'node:net'
import { applicationFiles } from '#tests/support/application.ts'
import { median } from './support/installation.ts'
import { row } from './support/row.ts'
import { createStreamWorld, settledMb } from './support/stream-world.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const PAGES = 500
const CHANGES = 10
const ENTITIES = 1_000
const APPLICATIONS = 10
const PORT = 4189
const GOAL_MB = 60
const GOAL_MS = 250
/** Events of a page when it opens, and after a change; of the bare server those of a change. */
const EVENT = /^event: /gm
const AT_OPENING = 5
const AT_CHANGE = 3

const appOf = (index: number) => `app-${index % APPLICATIONS}`
const lifecycles = ['experimental', 'development'] as const
const filesAt = (change: number) =>
  Array.from({ length: APPLICATIONS }, (_, index) => {
    const lifecycle = lifecycles[change % lifecycles.length] ?? 'experimental'
    return Object.entries(applicationFiles({ app: appOf(index), lifecycle }))
  })
    .flat()
    .map(([path, text]) => ({ path, text: String(text) }))
const catalogAt = (change: number) =>
  filesAt(change).filter(({ path }) => path.startsWith('catalog/'))

const world = await createStreamWorld({
  entities: ENTITIES,
  files: filesAt(0),
  people: PAGES,
  limits: { BUN_CONFIG_MAX_HTTP_REQUESTS: '8192', STREAMS_PER_MINUTE: '100000' },
})

interface Subject {
  readonly port: number
  /** Events of a page when it opens. */
  readonly opening: number
  readonly residentMegabytes: () => Promise<number>
  /** Makes the next change, and resolves when the server may know of it. Answers with that time. */
  readonly change: () => Promise<number>
  readonly stop: () => Promise<void>
}

let changes = 0

async function portico(): Promise<Subject> {
  const running = await world.startPortico(PORT)
  return {
    ...running,
    opening: AT_OPENING,
    async change() {
      changes += 1
      await world.installation.commit(catalogAt(changes))
      const at = performance.now()
      void running.refresh()
      return at
    },
  }
}

async function bunAlone(): Promise<Subject> {
  const server = await world.startBare('bench/support/bare-pages.ts')
  const events = ['catalog', 'promotion', 'promotions'].map(
    (name) =>
      `id: Pq3l0A:1a2B3c4D5e6F\nevent: ${name}\ndata: {"topic":"${name}","type":"changed","value":{"revision":"${'9'.repeat(40)}"}}\n\n`,
  )
  return {
    ...server,
    opening: 0,
    async change() {
      const at = performance.now()
      void fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: events.join('') })
      return at
    },
  }
}

/** The streams of all pages, and how many events have come. */
interface Pages {
  readonly events: () => number
  /** The time at which so many events have come, on all pages together. */
  readonly arrival: (count: number) => Promise<number>
  readonly leave: () => void
}

async function openPages({ port, opening }: Subject, count = PAGES): Promise<Pages> {
  let events = 0
  let waiting: { readonly count: number; readonly resolve: (at: number) => void } | undefined
  const sockets: Socket[] = []
  const arrival = (count: number) => {
    if (events >= count) return Promise.resolve(performance.now())
    const { promise, resolve } = Promise.withResolvers<number>()
    waiting = { count, resolve }
    return promise
  }
  for (const [index, cookie] of world.cookies.slice(0, count).entries()) {
    const topics = `catalog,promotions,promotion:component/${appOf(index)},pods:dev-east/pods-5,deployments:dev-east/pods-5`
    const { promise: isOpen, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1')
    let isHead = true
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (isHead && !text.startsWith('HTTP/1.1 200')) reject(new Error(text))
      isHead = false
      resolve()
      events += text.match(EVENT)?.length ?? 0
      if (waiting !== undefined && events >= waiting.count) {
        waiting.resolve(performance.now())
        waiting = undefined
      }
    })
    socket.on('error', reject)
    socket.write(
      `GET /api/v1/events?topics=${topics} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${cookie}\r\n\r\n`,
    )
    await isOpen
    sockets.push(socket)
  }
  await arrival(opening * count)
  return {
    events: () => events,
    arrival,
    leave: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Cost {
  readonly megabytes: number[]
  /** Until the last page has a change. */
  readonly changeMs: number[]
}

async function measure(start: () => Promise<Subject>, cost: Cost): Promise<void> {
  const subject = await start()
  // The first page loads what all of them share.
  ;(await openPages(subject, 1)).leave()
  const fresh = await settledMb(subject)
  const pages = await openPages(subject)
  cost.megabytes.push((await settledMb(subject)) - fresh)
  for (let change = 0; change < CHANGES; change++) {
    const before = pages.events()
    const isThere = pages.arrival(before + AT_CHANGE * PAGES)
    const at = await subject.change()
    cost.changeMs.push((await isThere) - at)
    await Bun.sleep(200)
  }
  pages.leave()
  await subject.stop()
}

const ours: Cost = { megabytes: [], changeMs: [] }
const bare: Cost = { megabytes: [], changeMs: [] }
for (let round = 0; round < ROUNDS; round++) {
  await measure(portico, ours)
  await measure(bunAlone, bare)
}
const shown = (values: readonly number[]) =>
  `${median(values).toFixed(1)}, ${Math.max(...values).toFixed(1)}`
row(`${PAGES} pages, five topics each: median, worst`, 'Portico', 'Bun alone')
row(`memory, MB (goal ${GOAL_MB})`, shown(ours.megabytes), shown(bare.megabytes))
row(`a change is on all pages, ms (goal ${GOAL_MS})`, shown(ours.changeMs), shown(bare.changeMs))
await world.remove()
