import { describe, expect, test } from 'bun:test'
import { UnsecuredJWT } from 'jose'
import { createRunActors } from '#src/lib/domain/scaffold/run-actors.ts'
import type { Caller } from '#src/lib/domain/scaffold/secret-right.ts'
import { RunId } from '#src/lib/names.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { createPersonalStore, FORBIDDEN } from '#tests/support/personal-store.ts'
import { BY_ANN, ended, openScaffold } from './open-scaffold.ts'

const MINUTE_MS = 60_000
const anyId = () => RunId.of(Bun.randomUUIDv7())

describe('the actor of a run', () => {
  const actor = { kind: 'person', idToken: 'token' } as const
  const ann = { actor, endsAt: 10 * MINUTE_MS }

  test('is its person until shortly before the end of the ID token, then the service', () => {
    const clock = { time: 0, now: () => clock.time }
    const actors = createRunActors(clock)
    const id = anyId()
    expect(actors.of(id)).toBe(SERVICE)
    actors.keep(id, ann)
    clock.time = 10 * MINUTE_MS - 30_001
    expect(actors.of(id)).toBe(actor)
    clock.time += 1
    expect(actors.of(id)).toBe(SERVICE)
  })

  test('is the one before again, when a request did not resume the run', () => {
    const actors = createRunActors({ now: () => 0 })
    const id = anyId()
    const bob = { ...ann, actor: { ...actor } }
    actors.keep(id, ann)
    const takeBack = actors.keep(id, bob)
    expect(actors.of(id)).toBe(bob.actor)
    takeBack()
    expect(actors.of(id)).toBe(actor)
    actors.forget(id)
    takeBack()
    expect(actors.of(id)).toBe(SERVICE)
    actors.keep(id, ann)()
    expect(actors.of(id)).toBe(SERVICE)
  })

  test('is forgotten with the run, and the oldest of more than a thousand', () => {
    const actors = createRunActors({ now: () => 0 })
    const [first, second, ...others] = Array.from({ length: 1_001 }, anyId)
    if (first === undefined || second === undefined) throw new Error('there are some')
    for (const id of [first, second, ...others]) actors.keep(id, ann)
    expect(actors.of(first)).toBe(SERVICE)
    expect(actors.of(second)).toBe(actor)
    actors.forget(second)
    expect(actors.of(second)).toBe(SERVICE)
  })
})

describe('a run at a store that knows persons', () => {
  async function open() {
    const store = createPersonalStore()
    const fixture = await openScaffold({ openSecretStore: store.around })
    const endsAt = fixture.clock.now() + 60 * MINUTE_MS
    const idToken = new UnsecuredJWT({}).setSubject('ann').encode()
    const caller: Caller = {
      ...BY_ANN,
      secretActor: async () => ok({ actor: { kind: 'person', idToken }, endsAt }),
    }
    return {
      fixture,
      store,
      caller,
      submit: () => fixture.submit({}, fixture.scaffold, caller),
      [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
    }
  }
  const AS_SERVICE = ['describe as service', 'merge as service', 'label as service']

  test('goes on as the service when another process takes it over', async () => {
    await using opened = await open()
    const { fixture, store } = opened
    fixture.scaffold.drain()
    const id = await opened.submit()
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(store.calls).toStrictEqual(['mayCreate as ann', ...AS_SERVICE])
    await other.close()
  })

  test('goes on as the service when the ID token ends while it waits', async () => {
    await using opened = await open()
    const { fixture, store } = opened
    store.rule = (_, call) => (call === 'describe' ? { kind: 'secret_store_sealed' } : null)
    fixture.scaffold.start()
    const id = await opened.submit()
    while (fixture.logged.length === 0) await Bun.sleep(5)
    store.rule = () => null
    fixture.advance(60 * MINUTE_MS)
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(store.calls).toStrictEqual(['mayCreate as ann', 'describe as ann', ...AS_SERVICE])
  })

  test('forgets its person when it has ended: a later refusal is nobody’s', async () => {
    await using opened = await open()
    const { fixture, store } = opened
    store.rule = (_, call) => (call === 'merge' ? FORBIDDEN : null)
    fixture.scaffold.start()
    const id = await opened.submit()
    expect(await ended(fixture, id)).toMatchObject({ event: 'failed' })
    expect(fixture.audited()).toMatchObject([{ result: 'denied', by: 'ann' }])
    await fixture.runs.reopen(id)
    while (store.calls.length < 5) await Bun.sleep(5)
    expect(await ended(fixture, id)).toMatchObject({ event: 'failed' })
    expect(store.calls.slice(3)).toStrictEqual(['describe as service', 'merge as service'])
    expect(fixture.audited()).toMatchObject([{ result: 'denied', by: 'ann' }])
  })

  test('gets no person by a retry that was too late: another request had resumed it', async () => {
    await using opened = await open()
    const { fixture, store } = opened
    store.rule = (_, call) => (call === 'merge' ? FORBIDDEN : null)
    fixture.scaffold.start()
    const id = await opened.submit()
    expect(await ended(fixture, id)).toMatchObject({ event: 'failed' })
    const runs = { ...fixture.runs }
    fixture.runs.reopen = async () => ok(false)
    expect(await fixture.scaffold.retry(opened.caller, id)).toMatchObject({
      error: { kind: 'run_not_retryable' },
    })
    const before = store.calls.length
    await runs.reopen(id)
    while (store.calls.length < before + 2) await Bun.sleep(5)
    expect(store.calls.slice(before)).toStrictEqual(['describe as service', 'merge as service'])
  })
})
