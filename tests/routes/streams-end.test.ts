import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessions, type Sessions } from '#src/lib/domain/access/sessions/sessions.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { valueOf } from '#tests/contracts/database.ts'
import { pod } from '#tests/domain/clusters/objects.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { type Answer, list, PODS, world } from './cluster-world.ts'

/** What a person may see of a stream after their session has ended on another replica. */
const WITHIN_MS = 1_000

/** Lists one pod; a watch or a log begins, and says nothing more. */
const silent: Answer = (_, { path, query }) => {
  if (query['watch'] !== 'true' && !path.endsWith('/log')) return list([pod()])
  return new Response(new ReadableStream({ start: (body) => body.enqueue('\n') }), {
    headers: { 'content-type': 'application/json' },
  })
}

/** A portal whose runs stop at their first step, and the sessions of another process on the same database. */
async function open() {
  const directory = await mkdtemp(join(tmpdir(), 'portico-streams-'))
  const databaseUrl = `sqlite:${join(directory, 'portico.sqlite')}`
  const at = await world(silent, undefined, { databaseUrl })
  const { portal } = at
  const goOn = Promise.withResolvers<void>()
  const git = { ...portal.git }
  Object.assign(portal.git, {
    createRepository: async (...args: Parameters<typeof git.createRepository>) => {
      await goOn.promise
      return git.createRepository(...args)
    },
  })
  const database = valueOf(await openDatabase(databaseUrl))
  const elsewhere = createSessions({
    store: database.sessions,
    keyring: ephemeralKeyring(),
    clock: systemClock,
    log: () => {},
    idleSeconds: 3_600,
    absoluteSeconds: 36_000,
  })
  const scaffold = () =>
    portal.request('/api/v1/scaffold', {
      method: 'POST',
      as: 'dev',
      body: JSON.stringify({
        templateId: 'service',
        appName: 'refund-api',
        team: 'payments',
        namespace: 'payments-dev',
      }),
      headers: { 'content-type': 'application/json' },
    })
  return {
    portal,
    elsewhere,
    streams: {
      'the stream of a new project': scaffold,
      async 'the events of a run'() {
        const started = await scaffold()
        const id = started.headers.get('x-run-id')
        await started.body?.cancel()
        return portal.request(`/api/v1/scaffold/runs/${id}/events`, { as: 'dev' })
      },
      'a watch': () => at.get(`${PODS}?watch=true`),
      'a log': () => at.get(`${PODS}/shop-1/log?follow=true`),
    },
    async [Symbol.asyncDispose]() {
      goOn.resolve()
      await database.close()
      await at[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>
const STREAMS = [
  'the stream of a new project',
  'the events of a run',
  'a watch',
  'a log',
] as const satisfies readonly (keyof Opened['streams'])[]

const person = { kind: 'person', issuer: 'https://id.acme.example', subject: 'dev' } as const
const signOut = async (at: Opened, sessions: Pick<Sessions, 'end'>) =>
  sessions.end(await at.portal.signIn('dev'))

const ENDS: readonly (readonly [string, (at: Opened) => Promise<unknown>])[] = [
  [
    'a sign-out here',
    (at) => at.portal.request('/api/v1/auth/logout', { method: 'POST', as: 'dev' }),
  ],
  ['a sign-out on another replica', (at) => signOut(at, at.elsewhere)],
  ['a revoke on another replica', (at) => at.elsewhere.endPerson(person)],
  ['an idle hour', async (at) => at.portal.clock.advance(3_600_000)],
]

describe.each(STREAMS)('SEC-A4 %s', (name) => {
  test.each(ENDS)('ends with the session: %s', async (_, end) => {
    await using at = await open()
    const response = await at.streams[name]()
    expect(response.status).toBe(200)
    const text = response.text()
    await Bun.sleep(100)
    expect(Bun.peek.status(text)).toBe('pending')
    await end(at)
    await text
  })

  test('outlives other sessions', async () => {
    await using at = await open()
    const response = await at.streams[name]()
    const other = await at.portal.signIn('manager')
    await at.portal.portal.sessions.end(other)
    const reader = response.body?.getReader()
    const ended = (async () => {
      while ((await reader?.read())?.done === false);
    })()
    await Bun.sleep(WITHIN_MS)
    expect(Bun.peek.status(ended)).toBe('pending')
    await reader?.cancel()
  })
})
