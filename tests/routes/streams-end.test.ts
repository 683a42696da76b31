import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessions, type Sessions } from '#src/lib/domain/access/sessions/sessions.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { pod } from '#tests/domain/clusters/objects.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import type { Person } from '#tests/support/portal.ts'
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
  let projects = 0
  const scaffold = () =>
    portal.request('/api/v1/scaffold', {
      as: 'dev',
      json: {
        templateId: 'service',
        appName: `refund-api-${++projects}`,
        team: 'payments',
        namespace: 'payments-dev',
      },
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

// `session-watch.test.ts` has all the ways in which a session ends.
test.each(STREAMS)(
  'SEC-A4 %s ends with its session, here and elsewhere, and outlives others',
  async (name) => {
    await using at = await open()
    const end = async (person: Person, sessions: Pick<Sessions, 'end'>) =>
      sessions.end(await at.portal.signIn(person))
    for (const sessions of [at.elsewhere, at.portal.portal.sessions]) {
      const response = await at.streams[name]()
      expect(response.status).toBe(200)
      const text = response.text()
      await end('manager', sessions)
      await Bun.sleep(WITHIN_MS)
      expect(Bun.peek.status(text)).toBe('pending')
      await end('dev', sessions)
      await text
      for (const person of ['dev', 'manager'] as const) at.portal.forget(person)
    }
  },
)
