import { describe, expect, test } from 'bun:test'
import { createSecrets } from '#src/lib/domain/promotion/secrets.ts'
import { AppName, secretPath, TeamName } from '#src/lib/names.ts'
import type { SecretWriteRow } from '#src/lib/ports/database.ts'
import type { PresentEntry, SecretStore } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const PATH = secretPath(TeamName.of('payments'), AppName.of('shop'), 'dev')

/** A store whose contents can be looked at, and that others write to behind our back. */
function createStore() {
  const values = new Map<string, string>()
  const state = { version: 0, values, beforeMerge: () => {} }
  const entry = (): PresentEntry => ({
    kind: 'present',
    version: state.version,
    keys: [...values.keys()].toSorted(),
  })
  const store: SecretStore = {
    describe: async () => ok(state.version === 0 ? { kind: 'absent', version: 0 } : entry()),
    async merge(_, expected, given) {
      state.beforeMerge()
      state.beforeMerge = () => {}
      if (expected !== state.version) return err({ kind: 'secret_conflict' })
      for (const [key, value] of Object.entries(given)) values.set(key, value)
      state.version += 1
      return ok(entry())
    },
    ping: async () => ok(undefined),
  }
  const put = (key: string, value: string) => {
    values.set(key, value)
    state.version += 1
  }
  return { store, state, put }
}

function open() {
  const { store, state, put } = createStore()
  let row: SecretWriteRow | null = null
  const secrets = createSecrets({
    secretStore: store,
    writes: {
      remember: async (given) => {
        row = given
        return ok(undefined)
      },
      find: async () => ok(row),
    },
    keyring: ephemeralKeyring(),
    clock: { now: () => 0 },
  })
  const write = (value: string, overwrite = false) =>
    secrets.write({ path: PATH, values: { K: value }, overwrite })
  return { write, state, put }
}

describe('what was written is known again', () => {
  test('when it is asked for again, after a crash or not', async () => {
    const { write, state } = open()
    expect(await write('one')).toMatchObject({ ok: true, value: { version: 1 } })
    expect(await write('one')).toMatchObject({ ok: true, value: { version: 1 } })
    expect(await write('two')).toMatchObject({ error: { kind: 'secret_exists', keys: ['K'] } })
    expect(state.values.get('K')).toBe('one')
  })

  test('not when somebody was quicker with the same key', async () => {
    const { write, state, put } = open()
    state.beforeMerge = () => put('K', 'theirs')
    expect(await write('ours')).toMatchObject({ error: { kind: 'secret_exists' } })
    expect(await write('ours')).toMatchObject({ error: { kind: 'secret_exists' } })
    expect(state.values.get('K')).toBe('theirs')
  })

  test('not when it was changed in the store since', async () => {
    const { write, state, put } = open()
    await write('one')
    put('K', 'rotated')
    expect(await write('one')).toMatchObject({ error: { kind: 'secret_exists' } })
    expect(await write('one', true)).toMatchObject({ ok: true, value: { version: 3 } })
    expect(state.values.get('K')).toBe('one')
  })
})
