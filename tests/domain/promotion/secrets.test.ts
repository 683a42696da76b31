import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSecrets } from '#src/lib/domain/promotion/secrets.ts'
import { AppName, EnvironmentName, secretPath, TeamName } from '#src/lib/names.ts'
import type { PresentEntry, SecretActor, SecretStore } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const PATH = secretPath(TeamName.of('payments'), AppName.of('shop'), EnvironmentName.of('dev'))

/** A store whose contents can be looked at, and that others write to behind our back. */
function createStore() {
  const values = new Map<string, string>()
  const state = {
    version: 0,
    values,
    origin: null as PresentEntry['origin'],
    /** Calls, and in whose name. */
    calls: [] as (readonly [string, SecretActor])[],
    beforeMerge: async (): Promise<void> => {},
  }
  const entry = (): PresentEntry => ({
    kind: 'present',
    version: state.version,
    keys: [...values.keys()].toSorted(),
    origin: state.origin,
  })
  const store: SecretStore = {
    knowsPersons: false,
    async describe(_, actor) {
      state.calls.push(['describe', actor])
      return ok(state.version === 0 ? { kind: 'absent', version: 0 } : entry())
    },
    async merge(_, expected, given, actor) {
      state.calls.push(['merge', actor])
      const { beforeMerge } = state
      state.beforeMerge = async () => {}
      await beforeMerge()
      if (expected !== state.version) return err({ kind: 'secret_conflict' })
      for (const [key, value] of Object.entries(given)) values.set(key, value)
      state.version += 1
      return ok(undefined)
    },
    async label(_, origin, actor) {
      state.calls.push(['label', actor])
      state.origin = origin
      return ok(undefined)
    },
    mayCreate: async () => ok(undefined),
    access: async () => ok(undefined),
    check: async () => [],
    async close() {},
  }
  const put = (key: string, value: string) => {
    values.set(key, value)
    state.version += 1
  }
  return { store, state, put }
}

const ANN: SecretActor = { kind: 'person', idToken: 'token of Ann' }

const died = (): never => {
  throw new Error('the process died')
}

/** Processes that share an entry and what is remembered of it. */
async function open() {
  const { store, state, put } = createStore()
  const database = await openDatabase('sqlite::memory:')
  if (!database.ok) throw new Error(database.error.reason)
  const { secretWrites } = database.value
  const keyring = ephemeralKeyring()
  const start = (secretStore: SecretStore = store) => {
    const secretsAs = createSecrets({
      secretStore,
      secretWrites,
      digestKeyring: keyring,
      clock: { now: () => 0 },
    })
    const request = () => secretsAs(async () => ok({ actor: ANN }))
    const secrets = request()
    const requested = (value: string, overwrite = false, key = 'K') => ({
      path: PATH,
      values: { [key]: value },
      overwrite,
    })
    return {
      request,
      check: (...args: Parameters<typeof requested>) => secrets.check(requested(...args)),
      /** One request, which decides anew after a lost race, as a promotion does. */
      async write(...args: Parameters<typeof requested>) {
        const one = request()
        for (;;) {
          const checked = await one.check(requested(...args))
          const written = checked.ok ? await one.write(checked.value) : checked
          if (written.ok || written.error.kind !== 'secret_conflict') return written
        }
      },
      writeChecked: (...args: Parameters<typeof secrets.write>) => secrets.write(...args),
      async overwrite(values: Readonly<Record<string, string>>) {
        const checked = await secrets.check({ path: PATH, values, overwrite: true })
        return checked.ok ? secrets.write(checked.value) : checked
      },
      label: async () => secrets.label({ path: PATH, values: {}, overwrite: false }),
    }
  }
  return {
    ...start(),
    state,
    store,
    put,
    another: start,
    /** Dies when it has remembered what it is about to write. */
    dying: () => start({ ...store, merge: died }),
    [Symbol.asyncDispose]: () => database.value.close(),
  }
}

const dies = async (work: Promise<unknown>): Promise<void> =>
  expect(await work.catch(String)).toContain('died')

const written = (version: number, isNew: boolean, isUnlabelled = expect.any(Boolean)) => ({
  ok: true,
  value: { version, isNew, isUnlabelled },
})
const clash = { error: { kind: 'secret_exists', keys: ['K'] } }

describe('what was written is known again', () => {
  test('when it is asked for again, after a crash or not', async () => {
    await using place = await open()
    expect(await place.write('one')).toMatchObject(written(1, true))
    expect(await place.write('one')).toMatchObject(written(1, false))
    expect(await place.check('one')).toMatchObject({ ok: true })
    expect(await place.write('two')).toMatchObject(clash)
    expect(await place.check('two')).toMatchObject(clash)
    expect(place.state.values.get('K')).toBe('one')
  })

  test('by every process, and when the first one died before or after it wrote', async () => {
    await using place = await open()
    await dies(place.dying().write('one'))
    const dyingAfter = place.another({
      ...place.store,
      merge: async (...args) => {
        await place.store.merge(...args)
        return died()
      },
    })
    await dies(dyingAfter.write('one'))
    expect(await place.another().write('one')).toMatchObject(written(1, false))
  })

  test('not when somebody was quicker with the same key', async () => {
    await using place = await open()
    place.state.beforeMerge = async () => place.put('K', 'theirs')
    expect(await place.write('ours')).toMatchObject(clash)
    expect(await place.write('ours')).toMatchObject(clash)
    expect(place.state.values.get('K')).toBe('theirs')
  })

  test.each([
    { kind: 'secret_store_denied', what: 'patch' },
    { kind: 'secret_store_forbidden', what: 'patch' },
    { kind: 'secret_store_sealed' },
    { kind: 'secret_store_rate_limited', retryAfterSeconds: 1 },
    { kind: 'secret_store_error', reason: 'full' },
  ] as const)(
    'not when the store refused it, and somebody then wrote the key: %o',
    async (failure) => {
      await using place = await open()
      const refusing = place.another({ ...place.store, merge: async () => err(failure) })
      expect(await refusing.write('ours')).toStrictEqual(err(failure))
      place.put('K', 'theirs')
      expect(await place.write('ours')).toMatchObject(clash)
    },
  )

  test('and a refusal that cannot be noted is a failure of the database', async () => {
    await using place = await open()
    const refusing = place.another({
      ...place.store,
      async merge() {
        await place[Symbol.asyncDispose]()
        return err({ kind: 'secret_store_forbidden', what: 'patch' })
      },
    })
    expect(await refusing.write('ours')).toMatchObject({ error: { kind: 'database_unavailable' } })
  })

  test.each(['secret_store_timeout', 'secret_store_unreachable'] as const)(
    'when its answer was lost: %s',
    async (kind) => {
      await using place = await open()
      const losing = place.another({
        ...place.store,
        merge: async (...args) => {
          await place.store.merge(...args)
          return err({ kind })
        },
      })
      expect(await losing.write('one')).toStrictEqual(err({ kind }))
      expect(await place.write('one')).toMatchObject(written(1, false))
    },
  )

  test('not when it was changed in the store since', async () => {
    await using place = await open()
    await place.write('one')
    place.put('K', 'rotated')
    expect(await place.write('one')).toMatchObject(clash)
    expect(await place.write('one', true)).toMatchObject(written(3, true))
    expect(place.state.values.get('K')).toBe('one')
  })

  test('not when another process wrote in place of one that died', async () => {
    await using place = await open()
    await dies(place.dying().write('theirs'))
    expect(await place.write('ours')).toMatchObject(written(1, true))
    expect(await place.another().write('theirs')).toMatchObject(clash)
    expect(await place.another().check('theirs')).toMatchObject(clash)
    expect(place.state.values.get('K')).toBe('ours')
  })

  test('not when an overwriting one died before it wrote, and somebody then wrote something else', async () => {
    await using place = await open()
    place.put('K', 'old')
    await dies(place.dying().overwrite({ K: 'new' }))
    place.put('OTHER', 'x')
    expect(await place.write('new')).toMatchObject(clash)
    expect(place.state.values.get('K')).toBe('old')
  })

  test('not when an overwriting one died after it wrote in place of one that died', async () => {
    await using place = await open()
    place.put('OTHER', 'x')
    await dies(place.dying().write('theirs'))
    const dyingAfter = place.another({
      ...place.store,
      merge: async (path, version, values, actor) => {
        await place.store.merge(path, version, { ...values, OTHER: 'y' }, actor)
        return died()
      },
    })
    await dies(dyingAfter.overwrite({ K: 'ours', OTHER: 'y' }))
    expect(await place.write('theirs')).toMatchObject(clash)
    expect(place.state.values.get('K')).toBe('ours')
  })

  test('nor by a process that has lost the lock: it writes nothing', async () => {
    await using place = await open()
    const late = await place.check('late')
    expect(await place.write('ours', false, 'L')).toMatchObject(written(1, true))
    expect(late.ok && (await place.writeChecked(late.value))).toMatchObject({
      error: { kind: 'secret_conflict' },
    })
    expect(await place.write('ours', false, 'L')).toMatchObject(written(1, false))
  })

  test('a write over a later version is remembered whatever was before it', async () => {
    await using place = await open()
    await dies(place.dying().write('one'))
    await dies(place.dying().write('two'))
    place.put('OTHER', 'x')
    expect(await place.write('three')).toMatchObject(written(2, true))
    expect(await place.write('three')).toMatchObject(written(2, false))
  })
})

describe('a request that starts anew after it wrote', () => {
  test.each([false, true])('writes no second version, overwriting %p', async (overwrite) => {
    await using place = await open()
    if (overwrite) place.put('K', 'old')
    const one = place.request()
    const request = { path: PATH, values: { K: 'one' }, overwrite }
    const version = overwrite ? 2 : 1
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const checked = await one.check(request)
      expect(checked.ok && (await one.write(checked.value))).toMatchObject(written(version, true))
    }
    expect(place.state.version).toBe(version)
  })

  test('writes again over what somebody wrote meanwhile', async () => {
    await using place = await open()
    const one = place.request()
    for (const version of [1, 3]) {
      const checked = await one.check({ path: PATH, values: { K: 'one' }, overwrite: true })
      expect(checked.ok && (await one.write(checked.value))).toMatchObject(written(version, true))
      place.put('K', 'theirs')
    }
  })
})

describe('the store is asked no more than is needed', () => {
  const callsOf = ({ state }: Awaited<ReturnType<typeof open>>) =>
    state.calls.splice(0).map(([name]) => name)

  test('once before the write, and in the name of the actor alone', async () => {
    await using place = await open()
    expect(await place.write('one')).toMatchObject(written(1, true))
    await place.label()
    expect(place.state.calls).toStrictEqual([
      ['describe', ANN],
      ['merge', ANN],
      ['label', ANN],
    ])
    expect(place.state.origin).toStrictEqual({ run: null })
  })

  test('again when the entry has changed since the check', async () => {
    await using place = await open()
    place.state.beforeMerge = async () => place.put('OTHER', 'x')
    expect(await place.write('one')).toMatchObject(written(2, true, false))
    expect(callsOf(place)).toStrictEqual(['describe', 'merge', 'describe', 'merge'])
  })

  test('once for an overwriting request, whoever died before it', async () => {
    await using place = await open()
    for (const value of ['one', 'two']) await dies(place.dying().write(value))
    place.put('K', 'theirs')
    expect(await place.write('one', true)).toMatchObject(written(2, true))
  })
})

describe('an entry is labelled by the request that created it', () => {
  test('and by a repetition, until it is done', async () => {
    await using place = await open()
    expect(await place.write('one')).toMatchObject(written(1, true, true))
    expect(await place.write('one')).toMatchObject(written(1, false, true))
    expect(await place.write('one', true)).toMatchObject(written(2, true, true))
    await place.label()
    expect(await place.write('one')).toMatchObject(written(2, false, false))
    expect(await place.write('one', true)).toMatchObject(written(3, true, false))
  })

  test('and not by one that added keys to it', async () => {
    await using place = await open()
    place.put('OTHER', 'x')
    expect(await place.write('one')).toMatchObject(written(2, true, false))
    expect(await place.write('one')).toMatchObject(written(2, false, false))
  })
})
