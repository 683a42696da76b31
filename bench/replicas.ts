/**
 * From the acknowledged webhook of a push until the other two of three replicas show it, while people read from all of them: the real program on a
 * real PostgreSQL. `bun bench/replicas.ts [pushes]`
 */
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { component } from '#tests/support/portal.ts'
import { PORTAL_HOST } from '#tests/support/installation.ts'
import { openReplicas, refreshCatalog } from '#tests/support/replicas.ts'
import { signedIn } from '#tests/support/signed-in.ts'
import { percentile, required } from './support/installation.ts'
import { row } from './support/row.ts'

const PUSHES = Number(process.argv[2] ?? 60)
const REPLICAS = 3
const READERS = 24
const PUSH_EVERY_MS = 300
const GOAL_MS = 500
const ENTITY = '/api/v1/catalog/entities/component/payments-api'
const READS = [ENTITY, `${ENTITY}/promotion`, '/api/v1/catalog/entities?limit=20']

if (postgresBinaries === undefined) throw new Error('there is no PostgreSQL')
await using postgres = await startPostgres(postgresBinaries)
const DATABASE_URL = await postgres.createDatabase()
await using installation = await openReplicas({
  DATABASE_URL,
  DATABASE_LISTEN_URL: DATABASE_URL,
  READS_PER_MINUTE: '100000',
})
const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => installation.start()))
const [asker = '', ...cookies] = await signedIn(DATABASE_URL, READERS + 1)
const over = new AbortController()
let reads = 0

async function read(person: number): Promise<void> {
  const cookie = cookies[person] ?? ''
  for (let round = person; !over.signal.aborted; round += 1) {
    const { url } = required(replicas[round % REPLICAS])
    const target = `${url}${READS[round % READS.length]}`
    const response = await fetch(target, { headers: { host: PORTAL_HOST, cookie } })
    await response.arrayBuffer()
    reads += 1
    await Bun.sleep(5)
  }
}

async function untilVisible(url: string, version: number, since: number): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}${ENTITY}`, {
      headers: { host: PORTAL_HOST, cookie: asker },
    })
    if ((await response.text()).includes(`version ${version}"`)) return performance.now() - since
    await Bun.sleep(2)
  }
}

const readers = Array.from({ length: READERS }, (_, person) => read(person))
const startedAt = performance.now()
const times: number[] = []
for (let version = 1; version <= PUSHES; version += 1) {
  const text = component('payments-api').replace(
    'metadata:',
    `metadata:\n  description: version ${version}`,
  )
  await installation.commit({ 'catalog/payments-api.yaml': text })
  const [first, ...others] = replicas
  const acknowledged = await refreshCatalog(required(first))
  if (acknowledged.status !== 204) throw new Error(`the webhook answered ${acknowledged.status}`)
  const since = performance.now()
  times.push(...(await Promise.all(others.map(({ url }) => untilVisible(url, version, since)))))
  await Bun.sleep(PUSH_EVERY_MS)
}
const perSecond = reads / ((performance.now() - startedAt) / 1_000)
over.abort()
await Promise.all(readers)
const ms = (share: number) => `${percentile(times, share).toFixed(0)} ms`
row('visible on the other replicas', 'p50', 'p95', 'goal', 'reads/s')
row(`${times.length} times`, ms(0.5), ms(0.95), `p95 ${GOAL_MS} ms`, perSecond.toFixed(0))
