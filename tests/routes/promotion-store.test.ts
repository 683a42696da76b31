import { describe, expect, test } from 'bun:test'
import type { SecretStore, SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import { auditOf, preview, promote, SHOP } from '#tests/support/promotion.ts'

type Call = 'describe' | 'merge' | 'label'

/** A shop whose secret store is watched, and fails on demand. */
async function openShop() {
  const calls: string[] = []
  const failures = new Map<Call, SecretStoreFailure>()
  const watched = (store: SecretStore): SecretStore => {
    const calling = <Answer>(name: Call, call: () => Promise<Answer>) => {
      calls.push(name)
      const failure = failures.get(name)
      return failure === undefined ? call() : Promise.resolve(err(failure))
    }
    return {
      ...store,
      describe: (...args) => calling('describe', () => store.describe(...args)),
      merge: (...args) => calling('merge', () => store.merge(...args)),
      label: (...args) => calling('label', () => store.label(...args)),
    }
  }
  const portal = await openPortal({ files: applicationFiles(), openSecretStore: watched })
  return {
    portal,
    failures,
    /** The calls since the last time. */
    calls: () => calls.splice(0),
    [Symbol.asyncDispose]: () => portal[Symbol.asyncDispose](),
  }
}

const tenSecrets = (prefix: string) =>
  Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${prefix}_${index}`, 'canary']))

const ROWS: readonly (readonly [SecretStoreFailure, object, Readonly<Record<string, string>>])[] = [
  [
    { kind: 'secret_store_sealed' },
    { status: 503, code: 'secret_store_sealed' },
    { 'retry-after': '5' },
  ],
  [
    { kind: 'secret_store_rate_limited', retryAfterSeconds: 7 },
    { status: 429, code: 'rate_limited' },
    { 'retry-after': '7' },
  ],
  [
    { kind: 'secret_store_forbidden', what: 'patch on canary' },
    { status: 403, code: 'secret_store_forbidden' },
    {},
  ],
  [
    { kind: 'secret_store_unauthorized', what: 'a login at canary' },
    { status: 403, code: 'secret_store_unauthorized' },
    {},
  ],
  [
    { kind: 'secret_store_denied', what: 'patch on canary' },
    { status: 502, code: 'secret_store_error' },
    {},
  ],
  [{ kind: 'secret_conflict' }, { status: 409, code: 'secret_conflict' }, {}],
]

describe('the secret store', () => {
  test('is asked three times for ten secrets of a new entry, and twice for those of a present one', async () => {
    await using shop = await openShop()
    const first = await promote(shop.portal, 'development', { secrets: tenSecrets('A') })
    expect(first).toMatchObject({ status: 201, body: { secrets: { version: 1 } } })
    expect(shop.calls()).toStrictEqual(['describe', 'merge', 'label'])
    const more = await promote(shop.portal, 'development', { secrets: tenSecrets('B') })
    expect(more).toMatchObject({ status: 200, body: { secrets: { version: 2 } } })
    expect(shop.calls()).toStrictEqual(['describe', 'merge'])
    await preview(shop.portal, 'development', { secrets: tenSecrets('C') })
    expect(shop.calls()).toStrictEqual(['describe'])
    await promote(shop.portal, 'development', {})
    expect(shop.calls()).toStrictEqual([])
  })

  test('that fails before, at or after the write: nothing is proposed, and asking again finishes', async () => {
    await using shop = await openShop()
    const { portal, failures } = shop
    const secrets = { A: 'canary' }
    const expected: (string | null)[][] = []
    for (const call of ['describe', 'merge', 'label'] as const) {
      for (const [failure, answer, headers] of ROWS) {
        failures.clear()
        failures.set(call, failure)
        const refused = await portal.request(SHOP, {
          as: 'dev',
          json: { targetLifecycle: 'development', overlayConfig: { secrets } },
        })
        const body = await refused.text()
        expect(JSON.parse(body)).toMatchObject(answer)
        expect(body).not.toContain('canary')
        expect(Object.fromEntries(refused.headers)).toMatchObject(headers)
        const result = call === 'describe' && refused.status === 403 ? 'denied' : 'failed'
        expected.push(['promotion.propose', result, failure.kind])
      }
    }
    const rows = await auditOf(portal)
    expect(rows.map(({ action, result, code }) => [action, result, code])).toStrictEqual(expected)
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(await portal.git.listBranches(GITOPS, '')).toMatchObject({ value: ['main'] })
    failures.clear()
    const again = await promote(portal, 'development', { secrets }, 'dev')
    expect(again).toMatchObject({ status: 201, body: { secrets: { version: 1 } } })
  })
})
