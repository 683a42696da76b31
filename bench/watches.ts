/**
 * Resident memory of open watches in the executable, compared with a plain Bun server that forwards as many streams. Garbage
 * collection is not forced. `bun bench/watches.ts [rounds]`
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '#scripts/build.ts'
import { spawnAnswering } from './support/answering.ts'
import {
  createInstallation,
  median,
  residentMegabytes,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { row } from './support/row.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const WATCHES = 500
const PER_PERSON = 20
const ENTITIES = 1_000
const PORT = 4188
const GOAL_MB = 30
/** Freed memory returns to the system after a while. */
const SETTLE_MS = 8_000
const MAX_HTTP_REQUESTS = { BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' }
const PATH = '/api/v1/clusters/dev-east/namespaces/pods-5/pods?watch=true'
const HAS_BODY = /\r\n\r\n./s

const api = spawnAnswering('bench/support/cluster-api.ts')
const { port: apiPort, pem } = await api.next<{ port: number; pem: string }>()
const installation = await createInstallation(ENTITIES)
const people = Array.from({ length: WATCHES / PER_PERSON }, (_, index) => `person-${index}`)
const cookies = await installation.signIn(people)
const authority = join(installation.directory, 'api-server.pem')
const registry = join(installation.directory, 'clusters.yaml')
await Bun.write(authority, pem)
await Bun.write(
  registry,
  `apiVersion: portal/v1
clusters:
  - { id: dev-east, name: Development East, apiServer: "https://127.0.0.1:${apiPort}", caFile: ${authority}, groups: ["*"] }
`,
)
const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const executable = join(scratch, 'portico')
await build({ outfile: executable, commit: 'benchmark' })

interface Subject {
  readonly port: number
  readonly residentMegabytes: () => Promise<number>
  readonly stop: () => Promise<void>
}

async function portico(): Promise<Subject> {
  const running = await startPortico(installation, PORT, {
    executable,
    env: { ...MAX_HTTP_REQUESTS, CLUSTERS_FILE: registry },
  })
  await untilComplete(() => running.get('/readyz'), running.startedAt)
  return { ...running, port: PORT }
}

async function bunAlone(): Promise<Subject> {
  const server = spawnAnswering(
    'bench/support/bare-watches.ts',
    [String(apiPort), pem],
    MAX_HTTP_REQUESTS,
  )
  const { port } = await server.next<{ port: number }>()
  return {
    port,
    residentMegabytes: () => residentMegabytes(server.pid),
    stop: () => server.stop(),
  }
}

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
  for (const cookie of cookies) {
    for (let count = 0; count < PER_PERSON; count++) sockets.push(await watch(port, cookie))
  }
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

async function settledMb(subject: Subject): Promise<number> {
  await Bun.sleep(SETTLE_MS)
  return subject.residentMegabytes()
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
await installation.remove()
await rm(scratch, { recursive: true, force: true })
await api.stop()
