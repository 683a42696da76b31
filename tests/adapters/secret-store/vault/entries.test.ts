import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RunId } from '#src/lib/names.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { absent, conflict, present, written } from '#tests/contracts/secret-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { SHOP, value } from '#tests/support/secret-entries.ts'
import { startFront } from './front.ts'
import { openVaultFixture } from './open-vault-store.ts'

const RUN = RunId.of('0198f2a1-0000-7000-8000-000000000001')

const error = (reason: string) => err({ kind: 'secret_store_error', reason })

describe.skipIf(openbaoProgram === null)('vault: entries', () => {
  let openbao: OpenBao
  beforeAll(async () => {
    openbao = await startOpenBao()
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  describe('of other people', () => {
    test('have the keys at the top, whatever lies below them, and a merge keeps all of it', async () => {
      const fixture = openVaultFixture({ openbao })
      const theirs = { MAP: { A: { B: 'deep' } }, LIST: ['a'], NUMBER: 1.5, NOTHING: null, T: 'x' }
      await fixture.root('POST', 'data', { data: theirs })
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(
        present(1, 'LIST', 'MAP', 'NOTHING', 'NUMBER', 'T'),
      )
      expect(await fixture.store.merge(SHOP, 1, { NEW: 'n', T: 'y' }, SERVICE)).toStrictEqual(
        written,
      )
      expect(await fixture.root('GET', 'data')).toMatchObject({
        data: { data: { ...theirs, NEW: 'n', T: 'y' } },
      })
    })

    test('may be written as null: without keys, and the store merges nothing into them', async () => {
      const fixture = openVaultFixture({ openbao })
      await fixture.root('POST', 'data', { data: null })
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(1))
      expect(await fixture.store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toMatchObject({
        error: { kind: 'secret_store_error' },
      })
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(1))
    })

    test('may have metadata before a first version: absent, then made beside them', async () => {
      const fixture = openVaultFixture({ openbao })
      await fixture.root('POST', 'metadata', { custom_metadata: { owner: 'ops' }, max_versions: 3 })
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
      expect(await fixture.store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(conflict)
      expect(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(written)
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
      expect(await fixture.root('GET', 'metadata')).toMatchObject({
        data: { custom_metadata: { owner: 'ops' }, max_versions: 3 },
      })
    })

    test('may keep one version alone, want check-and-set, and end by themselves', async () => {
      const fixture = openVaultFixture({ openbao })
      const settings = { max_versions: 1, cas_required: true, delete_version_after: '1h' }
      await fixture.root('POST', 'metadata', settings)
      for (const version of [0, 1, 2])
        value(await fixture.store.merge(SHOP, version, { [`K${version}`]: 'v' }, SERVICE))
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(
        present(3, 'K0', 'K1', 'K2'),
      )
    })
  })

  describe('labels', () => {
    const labels = { 'managed-by': 'portico', team: 'payments', app: 'shop', environment: 'dev' }

    test('stand beside those of other people, which stay', async () => {
      const fixture = openVaultFixture({ openbao })
      value(await fixture.store.merge(SHOP, 0, {}, SERVICE))
      await fixture.root('POST', 'metadata', { custom_metadata: { owner: 'ops', team: 'x' } })
      value(await fixture.store.label(SHOP, { run: RUN }, SERVICE))
      expect(await fixture.root('GET', 'metadata')).toMatchObject({
        data: { custom_metadata: { ...labels, owner: 'ops', run: RUN } },
      })
    })

    test('of a promotion remove the run of an entry that was deleted and is made anew', async () => {
      const fixture = openVaultFixture({ openbao })
      value(await fixture.store.merge(SHOP, 0, {}, SERVICE))
      value(await fixture.store.label(SHOP, { run: RUN }, SERVICE))
      value(await fixture.store.label(SHOP, { run: null }, SERVICE))
      expect(await fixture.root('GET', 'metadata')).toMatchObject({
        data: { custom_metadata: labels },
      })
      expect(value(await fixture.store.describe(SHOP, SERVICE))).toMatchObject({
        origin: { run: null },
      })
    })

    test.each([
      [{ run: RUN }, null],
      [{ 'managed-by': 'terraform', run: RUN }, null],
      [{ 'managed-by': 'portico', run: 'x' }, { run: null }],
    ])('%j tell the origin %j', async (custom_metadata, origin) => {
      const fixture = openVaultFixture({ openbao })
      value(await fixture.store.merge(SHOP, 0, {}, SERVICE))
      await fixture.root('POST', 'metadata', { custom_metadata })
      expect(value(await fixture.store.describe(SHOP, SERVICE))).toMatchObject({ origin })
    })

    test('have no place at an entry that is gone', async () => {
      const { store } = openVaultFixture({ openbao })
      expect(await store.label(SHOP, { run: RUN }, SERVICE)).toStrictEqual(conflict)
    })
  })

  test.each([{ A: '\ud800' }, { A: 'a', 'B\udc00': 'b' }])(
    'a lone surrogate, which the store would replace, is refused: %j',
    async (values) => {
      const { store } = openVaultFixture({ openbao })
      const refused = error('a key or value has a lone surrogate, which the store would replace')
      expect(await store.merge(SHOP, 0, values, SERVICE)).toStrictEqual(refused)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
      value(await store.merge(SHOP, 0, {}, SERVICE))
      expect(await store.merge(SHOP, 1, values, SERVICE)).toStrictEqual(refused)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1))
    },
  )

  describe('in a mount that is not KV version 2', () => {
    const noEngine = error('there is no secrets engine at VAULT_MOUNT')
    const notVersion2 = error('VAULT_MOUNT is not a KV secrets engine of version 2')

    test('nothing is found and nothing written: version 1', async () => {
      await openbao.must('POST', 'sys/mounts/old', { type: 'kv', options: { version: '1' } })
      const { store } = openVaultFixture({ openbao, mount: 'old' })
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(notVersion2)
      expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(notVersion2)
      expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(notVersion2)
      expect(await store.label(SHOP, { run: RUN }, SERVICE)).toStrictEqual(notVersion2)
      expect(await openbao.request('GET', 'old/?list=true')).toMatchObject({ status: 404 })
    })

    test('another engine', async () => {
      const { store } = openVaultFixture({ openbao, mount: 'cubbyhole' })
      expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(notVersion2)
      expect(await openbao.request('GET', 'cubbyhole/?list=true')).toMatchObject({ status: 404 })
    })

    test('no mount', async () => {
      const { store } = openVaultFixture({ openbao, mount: 'nowhere' })
      const what = 'any right below nowhere/, which must exist'
      const denied = err({ kind: 'secret_store_denied', what })
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(noEngine)
      expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(denied)
      expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(noEngine)
      expect(await store.label(SHOP, { run: RUN }, SERVICE)).toStrictEqual(noEngine)
    })

    test('a path within a mount', async () => {
      const { store } = openVaultFixture({ openbao, mount: 'secret/apps' })
      const undocumented = error('gave an answer (404) that is not as documented')
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(undocumented)
      expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(noEngine)
      expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(undocumented)
    })

    test('no such namespace', async () => {
      const { store } = openVaultFixture({ openbao, namespace: 'nowhere' })
      const noNamespace = error('there is no namespace VAULT_NAMESPACE')
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(noNamespace)
      expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(noNamespace)
      expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(noNamespace)
    })
  })

  test('the version of the mount is asked for once', async () => {
    await using front = startFront(openbao.url)
    const { store } = openVaultFixture({ openbao, url: front.url })
    value(await store.describe(SHOP, SERVICE))
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    value(await store.describe(SHOP, SERVICE))
    value(await store.merge(SHOP, 1, { B: 'b' }, SERVICE))
    value(await store.label(SHOP, { run: RUN }, SERVICE))
    const requests = front.requests.filter((request) => !request.includes('/auth/token/'))
    expect(requests.map((request) => request.replace(/\/t\d+\/.*\/env/, ''))).toStrictEqual([
      'GET /v1/secret/subkeys?depth=1',
      'GET /v1/sys/internal/ui/mounts/secret',
      'POST /v1/secret/data',
      'GET /v1/secret/subkeys?depth=1',
      'PATCH /v1/secret/data',
      'PATCH /v1/secret/metadata',
    ])
  })

  test('an entry is replaced only after the store has called it deleted', async () => {
    await using front = startFront(openbao.url)
    const { store } = openVaultFixture({ openbao, url: front.url })
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    front.intervene(async (method) =>
      method === 'PATCH' ? Response.json({ data: { another: 1 } }, { status: 404 }) : undefined,
    )
    expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toMatchObject({
      error: { kind: 'secret_store_error' },
    })
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
  })

  test.each([
    ['a success without a version', 200, '{"data":{"other":"secret-value"}}'],
    ['a success without a body', 204, null],
    ['a version that is no number', 200, '{"data":{"version":"secret-value"}}'],
    ...['9007199254740991', '9007199254740993', '1e300', '0', '-1', '1.5'].map(
      (version) =>
        [
          `a version that nobody can count on from: ${version}`,
          200,
          `{"data":{"version":${version},"metadata":{"version":${version}},"subkeys":{}}}`,
        ] as const,
    ),
    ['404 with data of another kind', 404, '{"data":["secret-value"]}'],
    ['404 of another program', 404, '{"errors":["secret-value"]}'],
    ['400 for a new reason', 400, '{"errors":["secret-value"]}'],
  ])('%s is an error in our own words', async (_, status, body) => {
    await using front = startFront(openbao.url)
    const { store } = openVaultFixture({ openbao, url: front.url })
    front.intervene(async (__, path) =>
      path.startsWith('/v1/auth/') ? undefined : new Response(body, { status }),
    )
    const outcomes = [
      await store.describe(SHOP, SERVICE),
      await store.merge(SHOP, 1, { B: 'b' }, SERVICE),
      await store.merge(SHOP, 0, { B: 'b' }, SERVICE),
      await store.mayCreate(SHOP, SERVICE),
    ]
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ ok: false, error: { kind: 'secret_store_error' } })
      expect(JSON.stringify(outcome)).not.toContain('secret-value')
    }
  })
})
