import { describe, expect, test } from 'bun:test'
import type { SecretStore, SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { createOutages } from '#src/lib/logging/outages.ts'
import { err } from '#src/lib/result.ts'
import { withSecretStoreRefusals } from '#src/compose/refusals.ts'
import { SHOP } from '#tests/support/secret-entries.ts'

/** A secret store that fails at every call, and the lines in the log. */
function open(failure: SecretStoreFailure) {
  const fail = async () => err(failure)
  const lines: [object, string][] = []
  const failing: SecretStore = {
    knowsPersons: true,
    describe: fail,
    merge: fail,
    label: fail,
    mayCreate: fail,
    access: fail,
    check: async () => [],
    async close() {},
  }
  const note = (line: object, text: string) => void lines.push([line, text])
  const log = { info: note, warn: note, error: note } as Parameters<typeof createOutages>[0]['log']
  const outages = createOutages({ clock: { now: () => 0 }, log })
  const store = withSecretStoreRefusals(failing, outages)
  return { lines, store }
}

const what = 'patch on secret/data/payments/shop/dev/env'

describe('the log of what the secret store refuses', () => {
  test.each([
    { kind: 'secret_store_denied', what },
    { kind: 'secret_store_error', reason: 'answered with 500' },
    { kind: 'secret_store_forbidden', what },
    { kind: 'secret_store_unauthorized', what },
  ] as const)('has each call with %p once, and no value', async (failure) => {
    const { store, lines } = open(failure)
    const person = { kind: 'person', idToken: 'canary-token' } as const
    for (const _ of [1, 2]) {
      expect(await store.describe(SHOP, person)).toStrictEqual(err(failure))
      expect(await store.merge(SHOP, 0, { KEY: 'canary' }, person)).toStrictEqual(err(failure))
      expect(await store.label(SHOP, { run: null }, SERVICE)).toStrictEqual(err(failure))
      expect(await store.mayCreate(SHOP, person)).toStrictEqual(err(failure))
    }
    expect(lines).toStrictEqual(
      ['describe', 'merge', 'label', 'mayCreate'].map((call) => [
        { call, ...failure },
        'secret store',
      ]),
    )
  })

  test.each([
    { kind: 'secret_conflict' },
    { kind: 'secret_store_sealed' },
    { kind: 'secret_store_unreachable' },
    { kind: 'secret_store_timeout' },
    { kind: 'secret_store_rate_limited', retryAfterSeconds: 9 },
  ] as const)('has nothing of %p', async (failure) => {
    const { store, lines } = open(failure)
    await store.describe(SHOP, SERVICE)
    expect(lines).toStrictEqual([])
  })

  test('hides nothing of the store', () => {
    expect(open({ kind: 'secret_conflict' }).store.knowsPersons).toBe(true)
  })
})
