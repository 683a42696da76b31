import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { conflict } from '#tests/contracts/secret-store.ts'
import { weakenings } from '#tests/deploy/vault/policy.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { openVaultFixture, policyText, type VaultFixture } from './open-vault-store.ts'

const VALUES = { NEW: 'new' }

/** The entry is at version 1, or deleted at version 1, or has metadata alone, or nothing. */
const GIVEN = {
  nothing: async () => {},
  metadata: (fixture: VaultFixture) => fixture.root('POST', 'metadata', { max_versions: 5 }),
  entry: (fixture: VaultFixture) => fixture.root('POST', 'data', { data: { OLD: 'old' } }),
  async deleted(fixture: VaultFixture) {
    await GIVEN.entry(fixture)
    await fixture.root('DELETE', 'data')
  },
}

interface Use {
  readonly given: keyof typeof GIVEN
  readonly run: (store: SecretStore) => ReturnType<SecretStore['label']>
}

const USES = {
  describe: {
    given: 'entry',
    run: async (store) => {
      const found = await store.describe(SHOP, SERVICE)
      return found.ok ? { ok: true, value: undefined } : found
    },
  },
  create: { given: 'nothing', run: (store) => store.merge(SHOP, 0, VALUES, SERVICE) },
  'create beside metadata': {
    given: 'metadata',
    run: (store) => store.merge(SHOP, 0, VALUES, SERVICE),
  },
  merge: { given: 'entry', run: (store) => store.merge(SHOP, 1, VALUES, SERVICE) },
  'make anew': { given: 'deleted', run: (store) => store.merge(SHOP, 1, VALUES, SERVICE) },
  label: { given: 'entry', run: (store) => store.label(SHOP, { run: null }, SERVICE) },
  mayCreate: { given: 'nothing', run: (store) => store.mayCreate(SHOP, SERVICE) },
} as const satisfies Record<string, Use>

describe.skipIf(openbaoProgram === null)('vault: rights', () => {
  let openbao: OpenBao
  beforeAll(async () => {
    openbao = await startOpenBao()
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  /** The uses that the policy refuses, with the rights that the failures name. Everything else of an entry stays as it was. */
  async function refusedBy(hcl: string) {
    const name = `tried-${crypto.randomUUID()}`
    await openbao.policy(name, hcl)
    const token = await openbao.token({ policies: [name] })
    const refused = Object.entries(USES).map(async ([use, { given, run }]) => {
      const fixture = openVaultFixture({ openbao, token })
      await GIVEN[given](fixture)
      const before = await fixture.everything()
      const outcome = await run(fixture.store)
      if (outcome.ok) return []
      expect(outcome.error.kind).toBe('secret_store_denied')
      expect(await fixture.everything()).toStrictEqual(before)
      const { what } = outcome.error as { what: string }
      return [[use, what.replaceAll(/\/t\d+\/\S+\/env/g, '')]]
    })
    return Object.fromEntries((await Promise.all(refused)).flat()) as Record<string, string>
  }

  const CREATE = 'create on secret/data (update, if it has metadata already)'

  test('each call fails without the right that it needs, which the failure names', async () => {
    const hcl = await policyText(1, { revives: true })
    expect(await refusedBy(hcl)).toStrictEqual({})
    const table = await Promise.all(
      weakenings(hcl).map(async ([line, weaker]) => [line, await refusedBy(weaker)]),
    )
    expect(Object.fromEntries(table)).toStrictEqual({
      'secret/data/+/+/+/+/env: create': { create: CREATE, mayCreate: 'create on secret/data' },
      'secret/data/+/+/+/+/env: patch': {
        merge: 'patch on secret/data',
        'make anew': 'patch on secret/data',
      },
      'secret/data/+/+/+/+/env: update': {
        'create beside metadata': CREATE,
        'make anew': 'update on secret/data',
      },
      'secret/subkeys/+/+/+/+/env: read': {
        describe: 'read on secret/subkeys',
        mayCreate: 'read on secret/subkeys',
      },
      'secret/metadata/+/+/+/+/env: patch': {
        label: 'patch on secret/metadata',
        mayCreate: 'patch on secret/metadata',
      },
      'secret/metadata/+/+/+/+/env: custom_metadata': { label: 'patch on secret/metadata' },
      'sys/capabilities-self: update': { mayCreate: 'update on sys/capabilities-self' },
      'auth/token/lookup-self: read': {},
      'auth/token/revoke-self: update': {},
    })
  })

  test('without `update` a deleted entry cannot be made anew; it is refused, and is no conflict', async () => {
    expect(await refusedBy(await policyText(1))).toStrictEqual({
      'create beside metadata': CREATE,
      'make anew': 'update on secret/data',
    })
  })

  test('without any right everything is refused, and all missing rights are named', async () => {
    const self = `
path "sys/capabilities-self" { capabilities = ["update"] }
path "auth/token/lookup-self" { capabilities = ["read"] }`
    expect(await refusedBy(self)).toStrictEqual({
      describe: 'read on secret/subkeys',
      create: 'any right below secret/, which must exist',
      'create beside metadata': 'any right below secret/, which must exist',
      merge: 'patch on secret/data',
      'make anew': 'patch on secret/data',
      label: 'patch on secret/metadata',
      mayCreate: 'read on secret/subkeys, create on secret/data, patch on secret/metadata',
    })
  })

  test('a store without persons refuses a person as it refuses the service', async () => {
    await openbao.policy('asks', 'path "sys/capabilities-self" { capabilities = ["update"] }')
    const token = await openbao.token({ policies: ['asks'] })
    const { store } = openVaultFixture({ openbao, token })
    expect(await store.mayCreate(SHOP, { kind: 'person', idToken: 'x' })).toMatchObject({
      error: { kind: 'secret_store_denied' },
    })
  })

  test('without `update` and `read` on subkeys a lost race to create is refused', async () => {
    await openbao.policy('writer', 'path "secret/data/+/+/+/+/env" { capabilities = ["create"] }')
    const token = await openbao.token({ policies: ['writer'] })
    const fixture = openVaultFixture({ openbao, token })
    await GIVEN.entry(fixture)
    expect(await fixture.store.merge(SHOP, 0, VALUES, SERVICE)).toMatchObject({
      error: { kind: 'secret_store_denied' },
    })
    expect(await fixture.values(SHOP)).toStrictEqual(new Map([['OLD', 'old']]))
  })

  test('the policy of runs that nobody waits for is enough to prepare an empty entry', async () => {
    const runs = await Bun.file('deploy/vault/portico-runs.hcl').text()
    await openbao.policy('runs', runs.replaceAll('/+/+/dev/env', '/+/+/+/dev/env'))
    const token = await openbao.token({ policies: ['runs'] })
    const { store } = openVaultFixture({ openbao, token })
    expect(await store.mayCreate(SHOP, SERVICE)).toMatchObject({ ok: true })
    expect(await store.merge(SHOP, 0, VALUES, SERVICE)).toMatchObject({
      error: { kind: 'secret_store_denied' },
    })
    expect(await store.merge(SHOP, 0, {}, SERVICE)).toMatchObject({ ok: true })
    expect(await store.merge(SHOP, 0, {}, SERVICE)).toStrictEqual(conflict)
    expect(await store.label(SHOP, { run: null }, SERVICE)).toMatchObject({ ok: true })
  })
})
