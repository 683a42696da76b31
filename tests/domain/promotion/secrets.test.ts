import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSecrets } from '#src/lib/domain/promotion/secrets.ts'
import { AppName, EnvironmentName, secretPath, TeamName } from '#src/lib/names.ts'
import { type PresentEntry, type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const PATH = secretPath(TeamName.of('payments'), AppName.of('shop'), EnvironmentName.of('dev'))

/** A store whose contents can be looked at, and that others write to behind our back. */
function createStore() {
  const values = new Map<string, string>()
  const state = {
    version: 0,
    values,
    beforeMerge: async (): Promise<void> => {},
  }
  const entry = (): PresentEntry => ({
    kind: 'present',
    version: state.version,
    keys: [...values.keys()].toSorted(),
    origin: null,
  })
  const store: SecretStore = {
    knowsPersons: false,
    describe: async () => ok(state.version === 0 ? { kind: 'absent', version: 0 } : entry()),
    async merge(_, expected, given) {
      const { beforeMerge } = state
      state.beforeMerge = async () => {}
      await beforeMerge()
      if (expected !== state.version) return err({ kind: 'secret_conflict' })
      for (const [key, value] of Object.entries(given)) values.set(key, value)
      state.version += 1
      return ok(undefined)
    },
    label: async () => ok(undefined),
    mayCreate: async () => ok(undefined),
    check: async () => [],
    async close() {},
  }
  const put = (key: string, value: string) => {
    values.set(key, value)
    state.version += 1
  }
  return { store, state, put }
}

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
    const secrets = createSecrets({
      secretStore,
      writes: secretWrites,
      keyring,
      clock: { now: () => 0 },
      pause: async () => {},
    })(SERVICE)
    const check = (value: string, overwrite = false) =>
      secrets.check({ path: PATH, values: { K: value }, overwrite })
    return {
      check,
      async write(value: string, overwrite = false) {
        const checked = await check(value, overwrite)
        return checked.ok ? secrets.write(checked.value) : checked
      },
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

const written = (version: number, isNew: boolean) => ({ ok: true, value: { version, isNew } })
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

  test('not when it was changed in the store since', async () => {
    await using place = await open()
    await place.write('one')
    place.put('K', 'rotated')
    expect(await place.write('one')).toMatchObject(clash)
    expect(await place.write('one', true)).toMatchObject(written(3, true))
    expect(place.state.values.get('K')).toBe('one')
  })

  test.each(['first', 'last'])(
    'not when another process wrote in place of one that died, having remembered %s',
    async (order) => {
      await using place = await open()
      const dying = () => dies(place.dying().write('theirs'))
      if (order === 'first') await dying()
      else place.state.beforeMerge = dying
      expect(await place.write('ours')).toMatchObject(written(1, true))
      expect(await place.another().write('theirs')).toMatchObject(clash)
      expect(await place.another().check('theirs')).toMatchObject(clash)
      expect(place.state.values.get('K')).toBe('ours')
    },
  )

  test('not when two of another process died, and remembered each other’s version', async () => {
    await using place = await open()
    for (const value of ['one', 'two', 'one']) {
      await dies(place.dying().write(value))
    }
    place.put('K', 'theirs')
    for (const value of ['one', 'two']) expect(await place.write(value)).toMatchObject(clash)
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
