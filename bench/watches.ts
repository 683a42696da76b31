/**
 * Resident memory of open watches in the executable, compared with a plain Bun server that forwards as many streams. Garbage
 * collection is not forced. `bun bench/watches.ts [rounds]`
 */
import { connect, type Socket } from 'node:net'
import { median } from './support/installation.ts'
import { row } from './support/row.ts'
import { createStreamWorld, settledMb } from './support/stream-world.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const WATCHES = 500
const PER_PERSON = 20
const ENTITIES = 1_000
const PORT = 4188
const GOAL_MB = 30
const PATH = '/api/v1/clusters/dev-east/namespaces/pods-5/pods?watch=true'
const HAS_BODY = /\r\n\r\n./s

const world = await createStreamWorld({
  entities: ENTITIES,
  people: WATCHES / PER_PERSON,
  limits: { BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' },
})

interface Subject {
  readonly port: number
  readonly residentMegabytes: () => Promise<number>
  readonly stop: () => Promise<void>
}

const portico = (): Promise<Subject> => world.startPortico(PORT)
const bunAlone = (): Promise<Subject> => world.startBare('bench/support/bare-watches.ts')

/** Opens a watch and resolves at the first byte of its body. */
function watch(port: number, cookie: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(port, '127.0.0.1')
  let head = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (HAS_BODY.test(head)) return
    head += text
    if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head))
    else if (HAS_BODY.test(head)) resolve(socket)
  })
  socket.on('error', reject).on('close', () => reject(new Error('closed')))
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${cookie}\r\n\r\n`)
  return promise
}

/** Opens all watches and returns a function that closes them. */
async function watchAll({ port }: Subject): Promise<() => void> {
  const sockets: Socket[] = []
  for (const cookie of world.cookies) {
    for (let count = 0; count < PER_PERSON; count++) sockets.push(await watch(port, cookie))
  }
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

interface Cost {
  /** Growth of a fresh process. */
  readonly first: number[]
  /** Memory returned after all watches are closed. */
  readonly givenBack: number[]
  /** Growth after watches were opened and closed before. */
  readonly again: number[]
}

async function measure(start: () => Promise<Subject>, cost: Cost): Promise<void> {
  const subject = await start()
  const fresh = await settledMb(subject)
  const leave = await watchAll(subject)
  const opened = await settledMb(subject)
  leave()
  const closed = await settledMb(subject)
  const leaveAgain = await watchAll(subject)
  const openedAgain = await settledMb(subject)
  leaveAgain()
  await subject.stop()
  cost.first.push(opened - fresh)
  cost.givenBack.push(opened - closed)
  cost.again.push(openedAgain - closed)
}

const ours: Cost = { first: [], givenBack: [], again: [] }
const bare: Cost = { first: [], givenBack: [], again: [] }
for (let round = 0; round < ROUNDS; round++) {
  await measure(portico, ours)
  await measure(bunAlone, bare)
}
const shown = (values: readonly number[], worst = Math.max) =>
  `${median(values).toFixed(1)}, ${worst(...values).toFixed(1)}`
row(`${WATCHES} open watches, MB: median, worst (goal ${GOAL_MB})`, 'Portico', 'Bun alone')
row('fresh process', shown(ours.first), shown(bare.first))
row('  returned after closing', shown(ours.givenBack, Math.min), shown(bare.givenBack, Math.min))
row('second time', shown(ours.again), shown(bare.again))
await world.remove()
