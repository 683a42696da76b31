import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { currentPerson, onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { createSessions, type SessionEvent } from '#src/lib/domain/access/sessions/sessions.ts'
import type { SessionStore } from '#src/lib/ports/database/sessions.ts'
import { err } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { ada, MINUTE, T0 } from './token-world.ts'

const AWAY = err({ kind: 'database_unavailable', reason: 'gone' } as const)

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

async function settle() {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
}
/** The pause between two questions, and a question. */
async function halfSecond() {
  jest.advanceTimersByTime(500)
  await settle()
}

/** Two processes on one database, which can go away. */
async function world() {
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const clock = { at: T0, now: () => clock.at }
  const keyring = ephemeralKeyring()
  const events: SessionEvent[] = []
  const questions: (readonly string[])[] = []
  const askers = new Set<string | null>()
  const state = { isAway: false, hasBug: false, keepsRows: false, pace: Promise.resolve() }
  const store: SessionStore = {
    ...database.sessions,
    remove: async (which) => (state.keepsRows ? AWAY : database.sessions.remove(which)),
    async living(idHashes) {
      questions.push(idHashes)
      askers.add(currentPerson())
      await state.pace
      if (state.hasBug) throw new TypeError('a bug')
      return state.isAway ? AWAY : database.sessions.living(idHashes)
    },
  }
  const log = (event: SessionEvent) => void events.push(event)
  const replica = () =>
    createSessions({ store, keyring, clock, log, idleSeconds: 3600, absoluteSeconds: 36_000 })
  const [here, elsewhere] = [replica(), replica()]
  return {
    here,
    elsewhere,
    clock,
    state,
    events,
    questions,
    askers,
    store: database.sessions,
    async signIn(subject = 'ada', sid: string | null = null) {
      const principal = { ...ada, subject }
      const browser = { address: null, userAgent: null }
      return valueOf(await here.open({ principal, sid, tokens: null, ...browser }))
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}

type World = Awaited<ReturnType<typeof world>>
type SignedIn = Awaited<ReturnType<World['signIn']>>

/** A watch of a session and how often it was told of the end. */
function watched(at: World, { session }: SignedIn) {
  const watch = { ends: 0, stop: at.here.watch(session, () => void watch.ends++) }
  return watch
}

describe('SEC-A4 a stream is told of the end of its session', () => {
  const { issuer } = ada
  // prettier-ignore
  test.each<[string, (at: World, signedIn: SignedIn, by: World['here']) => Promise<unknown>]>([
    ['sign-out',            (_, { token }, by) => by.end(token)],
    ['the next sign-in',    (_, { token }, by) => by.open({ principal: ada, sid: null, tokens: null, address: null, userAgent: null }, token)],
    ['a revoke',            (_, __, by) => by.endPerson({ kind: 'person', issuer, subject: 'ada' })],
    ['back-channel logout', (_, __, by) => by.endPerson({ kind: 'sign_in', issuer, sid: 'sid-1', subject: null })],
    ['the list',            (_, { session }, by) => by.endOwn(ada, session.idHash)],
    ['another session',     async (at, _, by) => by.endOthers((await at.signIn()).session)],
  ])('by %s: at once in this process, with the next question on another', async (_, end) => {
    for (const where of ['here', 'elsewhere'] as const) {
      await using at = await world()
      const [signedIn, other] = [await at.signIn('ada', 'sid-1'), await at.signIn('eve', 'sid-2')]
      const [watch, others] = [watched(at, signedIn), watched(at, other)]
      await end(at, signedIn, at[where])
      if (where === 'elsewhere') {
        expect(watch.ends).toBe(0)
        await halfSecond()
      }
      expect([where, watch.ends, others.ends]).toStrictEqual([where, 1, 0])
      others.stop()
    }
  })

  test.each([
    ['an idle hour', 60 * MINUTE],
    ['ten hours', 600 * MINUTE],
  ])('by %s', async (_, elapsed) => {
    await using at = await world()
    const signedIn = await at.signIn()
    const watch = watched(at, signedIn)
    if (elapsed === 600 * MINUTE) {
      await at.store.touch(signedIn.session.idHash, T0 + elapsed)
    }
    at.clock.at = T0 + elapsed - 1
    await halfSecond()
    expect(watch.ends).toBe(0)
    at.clock.at = T0 + elapsed
    await halfSecond()
    expect(watch.ends).toBe(1)
  })

  test('however much the person of the first stream asks for: the questions are nobody’s', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    onBehalfOf('hog', () => watched(at, signedIn))
    for (let question = 0; question < 3; question += 1) await halfSecond()
    expect([...at.askers]).toStrictEqual([null])
  })

  test('that had ended before the watch began', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    await at.here.end(signedIn.token)
    const watch = watched(at, signedIn)
    await halfSecond()
    expect(watch.ends).toBe(1)
  })

  test('even if the store cannot remove it', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    const watch = watched(at, signedIn)
    at.state.keepsRows = true
    expect(await at.here.end(signedIn.token)).toStrictEqual(AWAY)
    expect(watch.ends).toBe(1)
  })

  test('once, and not after it has stopped', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    const [first, second] = [watched(at, signedIn), watched(at, signedIn)]
    second.stop()
    await at.here.end(signedIn.token)
    await at.here.end(signedIn.token)
    await halfSecond()
    expect([first.ends, second.ends]).toStrictEqual([1, 0])
  })

  test('and not by somebody else who knows its id', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    const watch = watched(at, signedIn)
    const { idHash } = signedIn.session
    for (const stranger of [
      { issuer, subject: 'eve' },
      { issuer: 'https://x.example', subject: 'ada' },
    ]) {
      expect(await at.here.endOwn(stranger, idHash)).toMatchObject({ value: false })
    }
    expect(watch.ends).toBe(0)
    watch.stop()
  })

  test('except while the database is away: it goes on until its absolute end', async () => {
    await using at = await world()
    const watch = watched(at, await at.signIn())
    at.state.isAway = true
    at.clock.at = T0 + 90 * MINUTE
    await halfSecond()
    await halfSecond()
    expect([watch.ends, at.questions.length > 1]).toStrictEqual([0, true])
    expect(at.events).toStrictEqual([
      { kind: 'store_unavailable', during: 'watch', reason: 'gone' },
    ])
    at.clock.at = T0 + 600 * MINUTE
    await halfSecond()
    expect(watch.ends).toBe(1)
  })

  test('and not because the watch began during a question about others', async () => {
    await using at = await world()
    const [first, second] = [await at.signIn('ada'), await at.signIn('eve')]
    const answer = Promise.withResolvers<void>()
    at.state.pace = answer.promise
    const early = watched(at, first)
    await halfSecond()
    const late = watched(at, second)
    answer.resolve()
    await settle()
    expect([at.questions.length, early.ends, late.ends]).toStrictEqual([1, 0, 0])
    early.stop()
    late.stop()
  })

  test('after a bug as well, which is reported', async () => {
    await using at = await world()
    const signedIn = await at.signIn()
    const watch = watched(at, signedIn)
    at.state.hasBug = true
    await halfSecond()
    expect([watch.ends, at.events[0]]).toStrictEqual([
      0,
      { kind: 'watch_failed', bug: new TypeError('a bug') },
    ])
    at.state.hasBug = false
    await at.elsewhere.end(signedIn.token)
    await halfSecond()
    expect(watch.ends).toBe(1)
  })
})

describe('the cost of watching', () => {
  test('is one question each half second for all sessions, each named once, and none for nobody', async () => {
    await using at = await world()
    const signedIn = await Promise.all(['a', 'b', 'c'].map((subject) => at.signIn(subject)))
    const watches = signedIn.flatMap((one) => [watched(at, one), watched(at, one)])
    expect(jest.getTimerCount()).toBe(1)
    for (let halfSeconds = 1; halfSeconds <= 3; halfSeconds++) {
      await halfSecond()
      expect(at.questions).toHaveLength(halfSeconds)
    }
    const hashes = signedIn.map(({ session }) => session.idHash)
    expect(at.questions[2]?.toSorted()).toStrictEqual(hashes.toSorted())
    for (const { stop } of watches) stop()
    for (let halfSeconds = 0; halfSeconds < 3; halfSeconds++) await halfSecond()
    expect([at.questions.length, jest.getTimerCount()]).toStrictEqual([3, 0])
    const again = watched(at, signedIn[0] ?? expect.unreachable())
    await halfSecond()
    expect(at.questions).toHaveLength(4)
    again.stop()
  })
})
