/**
 * Three replicas of the real program on one PostgreSQL, with people who read, follow and begin projects, while replicas are killed and
 * stopped, the database restarts and freezes, streams are cut, and one person asks for everything at once.
 * `bun run test:chaos --minutes N`. Fails when something that was acknowledged is lost or done twice, or is read as it was before.
 */
import { parseArgs } from 'node:util'
import type { RepositoryId } from '#src/lib/names.ts'
import { RepositoryPart } from '#src/lib/names.ts'
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { startRoundRobin } from '#tests/peers/round-robin.ts'
import { component } from '#tests/support/portal.ts'
import type { PorticoProcess } from '#tests/support/portico-process.ts'
import { PORTAL_HOST } from '#tests/support/installation.ts'
import { openReplicas, refreshCatalog } from '#tests/support/replicas.ts'
import { signedIn } from '#tests/support/signed-in.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0) || postgresBinaries === undefined) {
  throw new Error('bun run test:chaos --minutes N, on a machine with PostgreSQL')
}

const REPLICAS = 3
const PERSONS = 60
const READERS = 6
const STREAMS = 220
const HOG_CONNECTIONS = 100
const RUN_EVERY_MS = 1_000
const PUSH_EVERY_MS = 3_000
/** Claims of the last five minutes decide roles, and these people have no identity provider that renews theirs. */
const SIGN_IN_EVERY_MS = 60_000
const FAULT_EVERY_MS = 4_000
const FAULT_MS = 1_500
/** After a webhook was acknowledged every replica shows its push, those apart that a fault has just hit. */
const VISIBLE_AFTER_MS = 2_000
/** After a fault a replica that missed an announcement has found the push by itself. */
const SETTLED_AFTER_MS = 15_000
const RUNS_DEADLINE_MS = 120_000
const PATIENCE_MS = 10_000
/** What a client may be told by a service that is being killed: asked too often, away, overloaded, cut off. */
const EXPECTED = new Set([429, 502, 503, 504, 598, 599])

await using postgres = await startPostgres(postgresBinaries)
const DATABASE_URL = await postgres.createDatabase()
await using installation = await openReplicas({ DATABASE_URL, DATABASE_LISTEN_URL: DATABASE_URL })
const replicas: PorticoProcess[] = await Promise.all(
  Array.from({ length: REPLICAS }, () => installation.start()),
)
await using balancer = startRoundRobin(replicas.map(({ url }) => url))
let [hog = '', ...cookies] = await signedIn(DATABASE_URL, PERSONS + 1)

const counts = { reads: 0, refused: 0, streams: 0, faults: 0, pushes: 0 }
const unexpected = new Map<string, number>()
const over = new AbortController()
const isOver = () => over.signal.aborted
const headersOf = (person: number) => ({
  host: PORTAL_HOST,
  cookie: cookies[person % cookies.length] ?? '',
})

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the script is wrong')
  return value
}

async function ask(target: string, init: RequestInit): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const response = await fetch(`${balancer.url}${target}`, { ...init, signal }).catch(
    () => undefined,
  )
  if (response === undefined || EXPECTED.has(response.status)) counts.refused += 1
  else if (response.status >= 400) {
    const key = `${init.method ?? 'GET'} ${target.split('?')[0]}: ${response.status}`
    unexpected.set(key, (unexpected.get(key) ?? 0) + 1)
  } else return response
  await response?.arrayBuffer().catch(() => undefined)
  return undefined
}

/** The newest push that a webhook was acknowledged for, and since when. */
let acknowledged = { version: 0, at: performance.now() }
let lastFaultAt = performance.now()
let staleReads = 0

async function read(person: number): Promise<void> {
  for (let round = 0; !isOver(); round += 1) {
    const { version, at } = acknowledged
    const startedAt = performance.now()
    const isSettled = startedAt - lastFaultAt > SETTLED_AFTER_MS
    const isVisible = startedAt - at > (isSettled ? VISIBLE_AFTER_MS : SETTLED_AFTER_MS)
    const target = '/api/v1/catalog/entities/component/payments-api'
    const response = await ask(target, { headers: headersOf(person + round) })
    const entity = (await response?.json().catch(() => undefined)) as
      { readonly metadata: { readonly description?: string } } | undefined
    if (entity !== undefined) {
      counts.reads += 1
      const seen = Number(/version (\d+)/.exec(entity.metadata.description ?? '')?.[1] ?? 0)
      if (isVisible && seen < version) staleReads += 1
    }
    await Bun.sleep(20)
  }
}

async function follow(person: number): Promise<void> {
  while (!isOver()) {
    // Cut by its client now and then, by the fault of a replica in between.
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(5_000 + 50 * person)])
    try {
      const { url } = required(replicas[person % REPLICAS])
      const stream = await fetch(`${url}/api/v1/events?topics=catalog,promotions`, {
        headers: headersOf(person),
        signal,
      })
      counts.streams += 1
      for await (const _ of stream.body ?? []) if (isOver()) break
    } catch {}
    await Bun.sleep(200)
  }
}

interface AcceptedRun {
  readonly app: string
  readonly person: number
  readonly id: string
}
const runs: AcceptedRun[] = []

/** Asks for one project until somebody has accepted it, as a person would who got no answer. */
async function beginRun(round: number): Promise<void> {
  const app = `app-${round}`
  const init = {
    method: 'POST',
    headers: {
      ...headersOf(round),
      'content-type': 'application/json',
      prefer: 'respond-async',
    },
    body: JSON.stringify({
      templateId: 'service',
      appName: app,
      team: 'payments',
      namespace: 'payments',
    }),
  }
  while (!isOver()) {
    const response = await ask('/api/v1/scaffold', init)
    const id = response?.headers.get('x-run-id')
    await response?.arrayBuffer().catch(() => undefined)
    if (id !== undefined && id !== null) {
      runs.push({ app, person: round, id })
      return
    }
    await Bun.sleep(500)
  }
}

/** Next time will do when the database is away. */
async function signInAgain(): Promise<void> {
  const again = await signedIn(DATABASE_URL, PERSONS + 1).catch(() => undefined)
  if (again !== undefined) [hog = '', ...cookies] = again
}

async function push(version: number): Promise<void> {
  const text = component('payments-api').replace(
    'metadata:',
    `metadata:\n  description: version ${version}`,
  )
  await installation.commit({ 'catalog/payments-api.yaml': text })
  const response = await refreshCatalog(balancer).catch(() => undefined)
  if (response?.status === 204) acknowledged = { version, at: performance.now() }
  counts.pushes += 1
}

const replica = (fault: number) => fault % REPLICAS
const faults: Readonly<Record<string, (fault: number) => Promise<void>>> = {
  async kill(fault) {
    await replicas[replica(fault)]?.end('SIGKILL')
    await Bun.sleep(FAULT_MS)
    await restart(fault)
  },
  async stop(fault) {
    const pid = replicas[replica(fault)]?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    await Bun.sleep(FAULT_MS)
    process.kill(pid, 'SIGCONT')
  },
  async 'restart of PostgreSQL'() {
    postgres.stop()
    await Bun.sleep(FAULT_MS)
    await postgres.start()
  },
  async 'freeze of PostgreSQL'() {
    postgres.freeze()
    await Bun.sleep(FAULT_MS)
    postgres.thaw()
  },
  async terminate(fault) {
    await replicas[replica(fault)]?.end('SIGTERM')
    await restart(fault)
  },
  /** One person asks for everything at once. */
  async flood() {
    const ends = performance.now() + 2 * FAULT_MS
    const client = async (at: number) => {
      const paths = ['entities', 'facets', 'entities/component/payments-api/promotion']
      while (performance.now() < ends) {
        const response = await fetch(`${balancer.url}/api/v1/catalog/${paths[at % 3]}`, {
          headers: { host: PORTAL_HOST, cookie: hog },
        }).catch(() => undefined)
        await response?.arrayBuffer().catch(() => undefined)
      }
    }
    await Promise.all(Array.from({ length: HOG_CONNECTIONS }, (_, at) => client(at)))
  },
}

async function restart(fault: number): Promise<void> {
  replicas[replica(fault)] = await installation.start()
  balancer.use(replicas.map(({ url }) => url))
}

async function every(ms: number, act: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; !isOver(); round += 1) {
    await act(round)
    await Bun.sleep(ms)
  }
}

const load = [
  ...Array.from({ length: READERS }, (_, person) => read(person)),
  ...Array.from({ length: STREAMS }, (_, person) => follow(person)),
  every(RUN_EVERY_MS, beginRun),
  every(PUSH_EVERY_MS, push),
  every(SIGN_IN_EVERY_MS, signInAgain),
]
const kinds = Object.entries(faults)
const endsAt = performance.now() + minutes * 60_000
for (let fault = 0; performance.now() < endsAt; fault += 1) {
  const [name, act] = kinds[fault % kinds.length] ?? []
  if (act === undefined) break
  if (name !== 'flood') lastFaultAt = performance.now()
  await act(Math.floor(fault / kinds.length) + fault)
  if (name !== 'flood') lastFaultAt = performance.now()
  counts.faults += 1
  await Bun.sleep(FAULT_EVERY_MS)
}
over.abort()
await Promise.all(load)

/** Runs that do not come to their end, and their last status. */
async function unfinished(): Promise<readonly string[]> {
  const deadline = performance.now() + RUNS_DEADLINE_MS
  const left: string[] = []
  for (const { id, app, person } of runs) {
    for (;;) {
      const headers = headersOf(person)
      const response = await fetch(`${balancer.url}/api/v1/scaffold/runs/${id}`, { headers }).catch(
        () => undefined,
      )
      const run = (await response?.json().catch(() => undefined)) as
        { readonly status?: string } | undefined
      if (run?.status === 'complete') break
      if (run?.status === 'failed' || performance.now() > deadline) {
        left.push(`${app}: ${run?.status}`)
        break
      }
      await Bun.sleep(100)
    }
  }
  return left
}

/** Applications of accepted runs without a repository, and with more than one first commit. */
async function repositories() {
  let missing = 0
  let doubled = 0
  for (const { app } of runs) {
    const id: RepositoryId = { owner: RepositoryPart.of('acme'), name: RepositoryPart.of(app) }
    const head = await installation.git.head(id)
    if (!head.ok) missing += 1
    else {
      const { commit } = head.value
      const commits = await installation.git.listCommits(id, { of: commit, limit: 10 })
      if (commits.ok && commits.value.length > 1) doubled += 1
    }
  }
  return { missing, doubled }
}

const left = await unfinished()
for (const run of left) console.error(run)
for (const [what, count] of unexpected) console.error(`${count} x ${what}`)
const { missing, doubled } = await repositories()
const doubledRuns = runs.length - new Set(runs.map(({ id }) => id)).size
console.table({ ...counts, runs: runs.length })
const promises = {
  'runs that were accepted come to their end': left.length,
  'repositories of accepted runs exist': missing,
  'no run is done twice': doubled + doubledRuns,
  'no read shows what was there before an acknowledged push': staleReads,
  'no answer but those of an outage': unexpected.size,
}
for (const [promise, broken] of Object.entries(promises)) {
  console.log(`(${broken === 0 ? 'pass' : 'fail'}) ${promise}${broken === 0 ? '' : `: ${broken}`}`)
}
const failed = Object.values(promises).filter((broken) => broken > 0).length
console.log(` ${Object.keys(promises).length - failed} pass\n ${failed} fail`)
if (failed > 0) process.exitCode = 1
