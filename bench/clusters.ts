/**
 * Cost that Portico adds to an API server. The API server is another process that sends prepared bytes.
 * `bun bench/clusters.ts [rounds]`
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { people } from '#src/demo/people.ts'
import { clusterAt } from '#tests/support/api-server.ts'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { environmentRow } from '#tests/domain/clusters/cluster-request.ts'
import { spawnAnswering } from './support/answering.ts'
import { liveApplication } from './support/crowd.ts'
import { median } from './support/installation.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const PER_PERSON = 20
const STALLED = 60
const report = (label: string, value: string) => console.log(`  ${label.padEnd(66)} ${value}`)

interface Cost {
  readonly residentMb: number
  readonly peakMb: number
  readonly stallMs: number
}

const api = spawnAnswering('bench/support/cluster-api.ts')
const { port, pem } = await api.next<{ port: number; pem: string }>()
const cluster = await clusterAt(`https://127.0.0.1:${port}`, {
  trust: { kind: 'authority', pem },
  groups: ['*'],
})

const APPLICATIONS = 12
/** Namespaces in which all of them run. */
const environments = [
  environmentRow('dev', 'crowd-240'),
  environmentRow('staging', 'crowd-260'),
  environmentRow('production', 'crowd-280'),
]
const files = Array.from({ length: APPLICATIONS }, (_, index) =>
  Object.entries(liveApplication(`app-${index}`, 'crowd-240')),
)
const portal = await openPortal({
  clusters: [{ ...cluster, environments }],
  files: Object.fromEntries(files.flat()),
})
const session = `portal_session=${await portal.signIn('dev')}`
const { tokens } = await portal.identity.signInAs(people.dev)
const request = (path: string, method = 'GET') =>
  portal.portal.app.fetch(
    new Request(`${ORIGIN}/api/v1/clusters/dev-east/namespaces/${path}`, {
      method,
      headers: { cookie: session, host: new URL(ORIGIN).host },
    }),
  )
const direct = (path: string, init: RequestInit = {}) =>
  fetch(`${cluster.apiServer}${path}`, {
    ...init,
    tls: { ca: pem, rejectUnauthorized: true },
    headers: { authorization: `Bearer ${tokens.idToken}`, accept: 'application/json' },
  })

async function listDirectly(total: number): Promise<string> {
  const texts: string[] = []
  let after: string | undefined
  do {
    const cursor = after === undefined ? '' : `&continue=${after}`
    const response = await direct(`/api/v1/namespaces/pods-${total}/pods?limit=500${cursor}`)
    const page = (await response.json()) as { metadata: { continue?: string }; items: unknown[] }
    texts.push(JSON.stringify(page.items))
    after = page.metadata.continue
  } while (after !== undefined)
  return texts.join()
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < 10; i++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e4
}

const ours: number[] = []
const theirs: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await cpuMs(async () => (await request('pods-1000/pods')).text()))
  theirs.push(await cpuMs(() => listDirectly(1_000)))
}
const [our, their] = [median(ours), median(theirs)]
report(
  '1,000 pods, processor ms: Portico, fetch + parse + stringify',
  `${our.toFixed(1)}, ${their.toFixed(1)}`,
)
report('  as a ratio (goal 1.5)', (our / their).toFixed(2))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now()
  await work()
  return performance.now() - since
}
const restarts: number[] = []
const alone: number[] = []
const DEPLOYMENT = '/apis/apps/v1/namespaces/payments/deployments/shop'
for (let round = 0; round < ROUNDS * 5; round++) {
  restarts.push(
    await timed(() => Promise.resolve(request('payments/deployments/shop/restart', 'POST'))),
  )
  alone.push(
    await timed(async () => {
      await (await direct(DEPLOYMENT)).text()
      await (await direct(DEPLOYMENT, { method: 'PATCH', body: '{}' })).text()
    }),
  )
}
report(
  'a restart, ms: Portico, the API server alone',
  `${median(restarts).toFixed(1)}, ${median(alone).toFixed(1)}`,
)
report('  added (goal 10)', (median(restarts) - median(alone)).toFixed(1))
const health = async (): Promise<number> => {
  const answer = await portal.request('/api/v1/health?mine=true', { as: 'dev', undocumented: true })
  return ((await answer.json()) as { health: string }[]).filter((row) => row.health === 'Healthy')
    .length
}
for (let tries = 0; (await health()) < APPLICATIONS * environments.length; tries++) {
  if (tries > 50) throw new Error('not all applications are healthy')
  await Bun.sleep(100)
}
const warm: number[] = []
for (let round = 0; round < ROUNDS * 5; round++) warm.push(await timed(health))
report(
  `the health of ${APPLICATIONS} applications in ${environments.length} environments, warm, ms (p50, worst; goal 20)`,
  `${median(warm).toFixed(1)}, ${Math.max(...warm).toFixed(1)}`,
)
await portal[Symbol.asyncDispose]()

/** Starts a portal in another process. */
async function startPortal() {
  const subject = spawnAnswering('bench/support/cluster-portal.ts', [String(port), pem])
  const at = await subject.next<{ port: number; cookies: string[]; host: string }>()
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${at.port}/api/v1/clusters/dev-east/namespaces/${path}`, {
      headers: { cookie: at.cookies[0] ?? '', host: at.host },
    })
  return { ...subject, at, get }
}
type Portal = Awaited<ReturnType<typeof startPortal>>

async function countPods({ get }: Portal, path: string): Promise<number> {
  let count = 0
  let query = ''
  for (;;) {
    const response = await get(`${path}${query}`)
    count += ((await response.json()) as unknown[]).length
    const [, next] = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '') ?? []
    if (next === undefined) return count
    query = `?cursor=${next}`
  }
}
const lists = await startPortal()
await countPods(lists, 'pods-1000/pods')
const stalls: number[] = []
for (let round = 0; round < 5; round++) {
  await lists.ask('begin')
  if ((await countPods(lists, 'pods-10000/pods')) !== 10_000) throw new Error('not all pods')
  stalls.push((await lists.ask<Cost>('end')).stallMs)
}
const { peakMb } = await lists.ask<Cost>('end')
report(
  '10,000 pods, longest stall ms (median, worst; goal 25)',
  `${median(stalls).toFixed(1)}, ${Math.max(...stalls).toFixed(1)}`,
)
report('  peak resident MB (goal 200)', peakMb.toFixed(0))

await lists.stop()

const unreadPortal = await startPortal()
/** Opens a watch and never reads it. */
async function stall(person: number): Promise<Socket> {
  const { at } = unreadPortal
  const socket = connect(at.port, '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  socket.write(
    `GET /api/v1/clusters/dev-east/namespaces/pods-5000/pods?watch=true HTTP/1.1\r\nhost: ${at.host}\r\ncookie: ${at.cookies[person]}\r\n\r\n`,
  )
  return socket
}
await Bun.sleep(1_000)
const unstalled = await unreadPortal.ask<Cost>('collect')
const stalled = await Promise.all(
  Array.from({ length: STALLED }, (_, index) => stall(Math.floor(index / PER_PERSON))),
)
await Bun.sleep(5_000)
const held = await unreadPortal.ask<Cost>('collect')
report(
  `${STALLED} watches of 5,000 pods that nobody reads, MB: resident, peak`,
  `${(held.residentMb - unstalled.residentMb).toFixed(0)}, ${held.peakMb.toFixed(0)}`,
)
for (const socket of stalled) socket.destroy()
await unreadPortal.stop()
await api.stop()
process.exit()
