import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { parseKeys } from '#src/lib/crypto/keyring.ts'
import { decodeContent, encodeContent } from '#src/lib/domain/access/sessions/session.ts'
import { hashOfToken } from '#src/lib/domain/access/sessions/session-token.ts'
import type { AuditRow } from '#src/lib/ports/database/audit.ts'
import type { SessionRow } from '#src/lib/ports/database/sessions.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { pgbouncerBinary, type PgbouncerPeer, startPgbouncer } from '#tests/peers/pgbouncer.ts'
import { type PostgresPeer, postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { startRoundRobin, type RoundRobin } from '#tests/peers/round-robin.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { eventsOf } from '#tests/support/event-stream.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { component, GITOPS } from '#tests/support/portal.ts'
import type { PorticoProcess } from '#tests/support/portico-process.ts'
import { SESSION_KEYS } from '#tests/support/installation.ts'
import {
  openReplicas,
  refreshCatalog,
  type ReplicaBrowser,
  type Replicas,
  signIn,
} from '#tests/support/replicas.ts'
import { ALL_RECORDS } from '#tests/support/kept-audit.ts'
import { until } from '#tests/support/until.ts'

const REPLICAS = 3
const grace = { ...ada, sub: 'grace', name: 'Grace', groups: ['platform-team'] }
const ENTITIES = '/api/v1/catalog/entities'
const RUNS = '/api/v1/scaffold/runs'

const wanted = (appName: string) => ({
  templateId: 'service',
  appName,
  team: 'payments',
  namespace: 'payments',
})

/** The suite of three replicas over one way to PostgreSQL. */
export function replicasSuite({
  way,
  isPooled,
}: {
  readonly way: string
  /** Through pgbouncer in transaction mode, and without a listening connection. */
  readonly isPooled: boolean
}) {
  if (postgresBinaries === undefined || pgbouncerBinary === null) {
    test.skipIf(!mustHaveAll)('PostgreSQL and pgbouncer are installed', () => {
      expect(postgresBinaries).toBeDefined()
      expect(pgbouncerBinary).not.toBeNull()
    })
    return
  }
  const binaries = { postgres: postgresBinaries, pgbouncer: pgbouncerBinary }

  describe(`three replicas over ${way}`, () => {
    let server: PostgresPeer
    let pooler: PgbouncerPeer | undefined
    let provider: OidcPeer
    let installation: Replicas
    let balancer: RoundRobin
    let databaseUrl: string
    let replicas: PorticoProcess[] = []
    /** Members of the team, and of the platform team. */
    let member: ReplicaBrowser
    let platform: ReplicaBrowser
    /** The events of a run whose process was killed, as another replica tells them. */
    let survivor: Promise<readonly string[]>
    const orphaned = Promise.withResolvers<string>()

    /** Begins a run on a replica of its own and kills it in the first step. Its lease has to end, so this goes on beside the tests. */
    async function orphanRun(): Promise<readonly string[]> {
      await using doomed = await installation.start()
      const stream = await member.ask(doomed, '/api/v1/scaffold', { json: wanted('survivor') })
      const id = stream.headers.get('x-run-id') ?? ''
      for await (const { event, data } of eventsOf(stream)) {
        if (event === 'step' && data['status'] === 'in_progress') break
      }
      await doomed.end('SIGKILL')
      orphaned.resolve(id)
      const names: string[] = []
      const follow = async () => {
        const followed = await member.ask(replica(1), `${RUNS}/${id}/events`)
        for await (const { event } of eventsOf(followed)) names.push(event)
      }
      // Without its database a stream ends, and a browser connects again.
      while (!names.includes('done') && !names.includes('failed')) {
        await follow().catch(() => Bun.sleep(200))
      }
      return names
    }

    beforeAll(async () => {
      server = await startPostgres(binaries.postgres)
      const direct = await server.createDatabase()
      if (isPooled) pooler = await startPgbouncer(binaries.pgbouncer, server.url)
      databaseUrl = pooler?.through(direct) ?? direct
      provider = await startOidcPeer({ people: [ada, grace], publicUrl: 'http://portal.test' })
      installation = await openReplicas({
        ...provider.settings,
        DATABASE_URL: databaseUrl,
        ...(!isPooled && { DATABASE_LISTEN_URL: direct, LOG_LEVEL: 'info' }),
      })
      replicas = await Promise.all(Array.from({ length: REPLICAS }, () => installation.start()))
      balancer = startRoundRobin(replicas.map(({ url }) => url))
      member = await signIn(provider, 'ada', balancer)
      platform = await signIn(provider, 'grace', balancer)
      survivor = orphanRun()
    })
    afterAll(async () => {
      await balancer[Symbol.asyncDispose]()
      await installation[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
      await pooler?.[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    const replica = (index: number): PorticoProcess => {
      const found = replicas[index]
      if (found === undefined) throw new Error(`no replica ${index}`)
      return found
    }

    test('a webhook to one is seen by all', async () => {
      const sees = async (index: number, name: string) =>
        (await member.ask(replica(index), `${ENTITIES}/component/${name}`)).status === 200
      for (let round = 0; round < REPLICAS; round++) {
        const name = `seen-${round}`
        for (const index of replicas.keys()) expect(await sees(index, name)).toBe(false)
        await installation.commit({ [`catalog/${name}.yaml`]: component(name) })
        expect((await refreshCatalog(replica(round % REPLICAS))).status).toBe(204)
        expect(await sees(round % REPLICAS, name)).toBe(true)
        for (const index of replicas.keys()) await until(() => sees(index, name))
      }
    })

    test('a sign-in begins at one and ends at another, a sign-out ends sessions and streams of all', async () => {
      const browser = await signIn(provider, 'ada', replica(0), replica(1))
      const isKnown = async (index: number) =>
        (await browser.ask(replica(index), '/api/v1/auth/session')).status === 200
      for (const index of replicas.keys()) expect(await isKnown(index)).toBe(true)
      const cookie = browser.jar.header('/')
      // Nobody works at this run for the length of its lease, so that its stream stays open.
      const stream = await browser.ask(replica(1), `${RUNS}/${await orphaned.promise}/events`)
      expect(stream.status).toBe(200)
      const left = await browser.ask(replica(2), '/api/v1/auth/logout', { json: {} })
      expect(left.status).toBe(200)
      const refuses = async (index: number) =>
        (await browser.ask(replica(index), '/api/v1/auth/session', { headers: { cookie } }))
          .status === 401
      expect(await refuses(2)).toBe(true)
      await stream.text()
      for (const index of replicas.keys()) await until(() => refuses(index))
    })

    test('PostgreSQL restarted in the middle loses no acknowledged row', async () => {
      const database = valueOf(await openDatabase(databaseUrl))
      const acknowledged = { audit: [] as string[], sessions: [] as string[], runs: [] as string[] }
      const failures = new Set<string>()
      const over = new AbortController()

      /** Acknowledged by the store: before that answer no effect begins and no cookie is set. */
      async function write(): Promise<void> {
        const id = Bun.randomUUIDv7()
        const appended = await database.audit.append(auditRow(id))
        if (appended.ok) acknowledged.audit.push(id)
        else failures.add(appended.error.kind)
        const inserted = await database.sessions.insert(sessionRow(id), 10)
        if (inserted.ok) acknowledged.sessions.push(id)
        else failures.add(inserted.error.kind)
      }
      /** Whoever is not answered knows of no run. */
      async function submit(name: string): Promise<void> {
        const sent = member.ask(balancer, '/api/v1/scaffold', { json: wanted(name) })
        const response = await sent.catch(() => undefined)
        if (response === undefined) return
        const id = response.headers.get('x-run-id')
        if (response.status === 200 && id !== null) acknowledged.runs.push(id)
        else expect(response.status).toBe(503)
        // The run goes on without its reader. Without its database the stream breaks.
        await response.body?.cancel().catch(() => undefined)
      }
      const writers = Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) await write()
      })
      const submissions = (async () => {
        for (let index = 0; !over.signal.aborted && index < 12; index++) {
          await submit(`during-${index}`)
          await Bun.sleep(100)
        }
      })()
      await until(() => acknowledged.audit.length > 50 && acknowledged.runs.length > 0)
      server.stop()
      // Its own process is up to date; the others are told later.
      expect((await refreshCatalog(replica(0))).status).toBe(204)
      await server.start()
      await until(async () => (await database.ping()).ok)
      await Bun.sleep(500)
      over.abort()
      await Promise.all([...writers, submissions])

      expect(failures).toStrictEqual(new Set(['database_unavailable']))
      const rows = valueOf(await database.audit.list({ ...ALL_RECORDS, limit: 1_000_000 }))
      const found = new Set(rows.map(({ id }) => id))
      expect(acknowledged.audit.filter((id) => !found.has(id))).toStrictEqual([])
      const living = valueOf(await database.sessions.living(acknowledged.sessions))
      expect(living.size).toBe(acknowledged.sessions.length)
      await database.close()
      for (const id of acknowledged.runs) {
        await until(async () => {
          const run = await platform.ask(balancer, `${RUNS}/${id}`)
          return ((await run.json()) as { status?: string }).status === 'complete'
        })
      }
      expect((await member.ask(replica(0), '/api/v1/auth/session')).status).toBe(200)
    })

    // What follows is the same whatever leads to the database.
    if (isPooled) return

    test('one promotion with secrets, sent to all at once and again later, is one', async () => {
      await installation.commit(applicationFiles({ app: 'till' }))
      await Promise.all(replicas.map(refreshCatalog))
      const json = {
        targetLifecycle: 'development',
        overlayConfig: { secrets: { STRIPE_KEY: 'sk_test' } },
      }
      const promote = async (to: PorticoProcess): Promise<number> =>
        (await member.ask(to, `${ENTITIES}/component/till/promotion`, { json })).status
      const first = await Promise.all(replicas.map(promote))
      expect(first.toSorted((a, b) => a - b)).toStrictEqual([200, 200, 201])
      for (const each of replicas) expect(await promote(each)).toBe(200)
    })

    test('200 requests at once with old claims and an ended token make one refresh', async () => {
      const browser = await signIn(provider, 'ada', balancer)
      const token = browser.jar.header('/').replace('portal_session=', '')
      const keys = valueOf(parseKeys(SESSION_KEYS))
      const database = valueOf(await openDatabase(databaseUrl))
      const idHash = hashOfToken(token)
      const row = valueOf(await database.sessions.find(idHash))
      const opened = row === null ? undefined : keys.open(idHash, row)
      const content = opened && decodeContent(opened)
      if (row === null || !content?.tokens) throw new Error('no session')
      const old = {
        ...content,
        claimsAt: 1,
        tokens: { ...content.tokens, expiresAt: 1, idTokenExpiresAt: 1 },
      }
      const sealed = keys.seal(idHash, encodeContent(old))
      expect(valueOf(await database.sessions.reseal(idHash, row.version, sealed))).toBe(true)
      await Bun.sleep(1100)

      const answers = await Promise.all(
        Array.from({ length: 200 }, () => browser.ask(balancer, '/api/v1/audit?team=payments')),
      )
      expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]))
      const after = valueOf(await database.sessions.find(idHash))
      // One write takes the lease, one brings the new tokens; a refresh token used twice would have ended the session.
      expect(after?.version).toBe(row.version + 3)
      await database.close()
    })

    test('a run whose process was killed is finished by another, once', async () => {
      const events = await survivor
      expect(events.at(-1)).toBe('done')
      const pulls = valueOf(await installation.git.findPullRequests(GITOPS, { state: 'open' }))
      expect(pulls.filter(({ title }) => title.includes('survivor'))).toHaveLength(1)
    })

    test.skipIf(isPooled)('the log says when changes were polled, and until when', async () => {
      await using sql = new Bun.SQL(databaseUrl, { max: 1 })
      await until(async () => {
        const listening = await sql<unknown[]>`
          SELECT 1 FROM pg_stat_activity WHERE query ILIKE 'LISTEN%'`
        return listening.length === REPLICAS
      })
      const { stdout } = await replica(0).end('SIGTERM')
      const [polled, heard] = [
        stdout.indexOf('DATABASE_LISTEN_URL is not connected, changes are polled meanwhile'),
        stdout.lastIndexOf('the connection of DATABASE_LISTEN_URL works again'),
      ]
      expect(polled).toBeGreaterThan(0)
      expect(heard).toBeGreaterThan(polled)
    })
  })
}

const auditRow = (id: string): AuditRow => ({
  via: null,
  id,
  at: Date.now(),
  issuer: 'i',
  subject: 's',
  name: 'n',
  action: 'a',
  target: 't',
  team: null,
  result: 'done',
  code: null,
  groups: '[]',
  revision: null,
  requestId: id,
  details: '{}',
  address: '192.0.2.7',
})

const sessionRow = (id: string): SessionRow => ({
  kind: 'browser',
  idHash: id,
  issuer: 'i',
  subject: id,
  sid: null,
  createdAt: Date.now(),
  seenAt: Date.now(),
  expiresAt: Date.now() + 3_600_000,
  version: 1,
  keyId: 'k',
  sealed: new Uint8Array(8192),
  address: null,
  userAgent: null,
})
