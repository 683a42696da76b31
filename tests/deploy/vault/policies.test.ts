import { describe, expect, test } from 'bun:test'
import { openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { type Act, refusedBy, weakenings } from './policy.ts'
import { shared } from '#tests/support/shared.ts'

const hclOf = (name: string) => Bun.file(`deploy/vault/${name}.hcl`).text()

const EMPTY = { options: { cas: 0 }, data: {} }
const LABELS = { custom_metadata: { 'managed-by': 'portico', run: 'one' } }

const makesEmptyEntry: Act = {
  name: 'makes an empty entry',
  act: (ask, path) => ask('POST', path('data'), EMPTY),
}
const makesEntry: Act = {
  name: 'makes an entry with values',
  act: (ask, path) => ask('POST', path('data'), { options: { cas: 0 }, data: { KEY: 'value' } }),
}
const readsNames: Act = {
  name: 'reads names of keys',
  given: 'entry',
  act: (ask, path) => ask('GET', path('subkeys')),
}
const addsKeys: Act = {
  name: 'adds keys',
  given: 'entry',
  act: (ask, path) => ask('PATCH', path('data'), { options: { cas: 1 }, data: { KEY: 'value' } }),
}
const revives: Act = {
  name: 'makes a deleted entry anew',
  given: 'deleted entry',
  act: (ask, path) => ask('POST', path('data'), { options: { cas: 1 }, data: { KEY: 'value' } }),
}
const labels: Act = {
  name: 'labels',
  given: 'entry',
  act: (ask, path) => ask('PATCH', path('metadata'), LABELS),
}
const readsValues: Act = {
  name: 'reads values',
  given: 'entry',
  act: (ask, path) => ask('GET', path('data')),
}
const asksForRights: Act = {
  name: 'asks for its rights',
  act: (ask, path) => ask('POST', 'sys/capabilities-self', { paths: [path('data')] }),
}
const looksAtLogin: Act = {
  name: 'looks at its login',
  act: (ask) => ask('GET', 'auth/token/lookup-self'),
}
const renewsLogin: Act = {
  name: 'renews its login',
  act: (ask) => ask('POST', 'auth/token/renew-self', {}),
}
const endsLogin: Act = {
  name: 'ends its login',
  act: (ask) => ask('POST', 'auth/token/revoke-self', {}),
}
const login = [asksForRights, looksAtLogin, endsLogin]

/** No policy allows any of these. */
const forbidden: readonly Act[] = [
  readsValuesOf('an earlier version', 'data', '?version=1'),
  readsValuesOf('versions', 'metadata', ''),
  readsValuesOf('a list', 'metadata', '?list=true'),
  elsewhere('lists teams', 'GET', 'secret/metadata/?list=true'),
  elsewhere('lists applications', 'GET', 'secret/metadata/payments/?list=true'),
  onEntry('deletes', 'DELETE', 'data'),
  onEntry('deletes a version', 'POST', 'delete', { versions: [1] }),
  onEntry('undeletes a version', 'POST', 'undelete', { versions: [1] }),
  onEntry('destroys a version', 'POST', 'destroy', { versions: [1] }),
  onEntry('deletes everything of an entry', 'DELETE', 'metadata'),
  onEntry('replaces all keys', 'POST', 'data', { options: { cas: 1 }, data: { KEY: 'value' } }),
  onEntry('keeps fewer versions', 'PATCH', 'metadata', { max_versions: 1 }),
  onEntry('keeps fewer versions, with labels', 'PATCH', 'metadata', { max_versions: 1, ...LABELS }),
  onEntry('lets versions end', 'PATCH', 'metadata', { delete_version_after: '1s' }),
  onEntry('replaces all labels', 'POST', 'metadata', LABELS),
  elsewhere('writes beside entries', 'POST', 'secret/data/payments/shop/dev/other', EMPTY),
  elsewhere('writes above entries', 'POST', 'secret/data/payments/shop/env', EMPTY),
  elsewhere('writes below entries', 'POST', 'secret/data/payments/shop/dev/env/env', EMPTY),
  elsewhere('writes to another mount', 'POST', 'cubbyhole/payments', EMPTY),
  elsewhere('configures the mount', 'POST', 'secret/config', { max_versions: 1 }),
  elsewhere('makes policies', 'PUT', 'sys/policies/acl/mine', { policy: '' }),
  elsewhere('makes logins', 'POST', 'auth/token/create', {}),
  elsewhere('seals', 'PUT', 'sys/seal', {}),
]

function readsValuesOf(name: string, kind: string, query: string): Act {
  return {
    name: `reads ${name}`,
    given: 'entry',
    act: (ask, path) => ask('GET', `${path(kind)}${query}`),
  }
}
function onEntry(name: string, method: string, kind: string, body?: unknown): Act {
  return { name, given: 'entry', act: (ask, path) => ask(method, path(kind), body) }
}
function elsewhere(name: string, method: string, path: string, body?: unknown): Act {
  return { name, act: (ask) => ask(method, path, body) }
}

const namesOf = (acts: readonly Act[]) => acts.map(({ name }) => name)
const without = (acts: readonly Act[], ...names: readonly string[]) =>
  acts.filter(({ name }) => !names.includes(name))

describe.skipIf(openbaoProgram === null)('policies', () => {
  const openbao = shared(startOpenBao)

  /** Each line of rights of the policy, with what is refused when it is missing. */
  async function proofOf(hcl: string, acts: readonly Act[]) {
    const proofs = weakenings(hcl).map(async ([line, weaker]) => [
      line,
      await refusedBy(openbao(), weaker, acts),
    ])
    return Object.fromEntries(await Promise.all(proofs)) as Record<string, readonly string[]>
  }

  const loginLines = {
    'sys/capabilities-self: update': ['asks for its rights'],
    'auth/token/lookup-self: read': ['looks at its login'],
    'auth/token/revoke-self: update': ['ends its login'],
  }

  describe('portico.hcl', () => {
    const allowed = [makesEmptyEntry, makesEntry, readsNames, addsKeys, labels, ...login]

    test('allows exactly what Portico does, by every line', async () => {
      const hcl = await hclOf('portico')
      expect(await refusedBy(openbao(), hcl, allowed)).toStrictEqual([])
      expect(await proofOf(hcl, allowed)).toStrictEqual({
        'secret/data/+/+/+/env: create': ['makes an empty entry', 'makes an entry with values'],
        'secret/data/+/+/+/env: patch': ['adds keys'],
        'secret/subkeys/+/+/+/env: read': ['reads names of keys'],
        'secret/metadata/+/+/+/env: patch': ['labels'],
        'secret/metadata/+/+/+/env: custom_metadata': ['labels'],
        ...loginLines,
      })
    })

    test('refuses everything else', async () => {
      const acts = [readsValues, revives, renewsLogin, ...forbidden]
      expect(await refusedBy(openbao(), await hclOf('portico'), acts)).toStrictEqual(namesOf(acts))
    })

    test('makes deleted entries anew with its other line', async () => {
      const plain = /^  capabilities = \["create", "patch"\]\n/m
      const hcl = (await hclOf('portico'))
        .replace(plain, '')
        .replace('# capabilities', 'capabilities')
      expect(await refusedBy(openbao(), hcl, [...allowed, revives])).toStrictEqual([])
      const acts = [readsValues, ...without(forbidden, 'replaces all keys')]
      expect(await refusedBy(openbao(), hcl, acts)).toStrictEqual(namesOf(acts))
    })
  })

  describe('portico-runs.hcl', () => {
    const allowed = [makesEmptyEntry, readsNames, labels, ...login]

    test('allows exactly what runs without anybody do, by every line', async () => {
      const hcl = await hclOf('portico-runs')
      expect(await refusedBy(openbao(), hcl, allowed)).toStrictEqual([])
      expect(await proofOf(hcl, allowed)).toStrictEqual({
        'secret/data/+/+/dev/env: create': ['makes an empty entry'],
        'secret/data/+/+/dev/env: options': ['makes an empty entry'],
        'secret/data/+/+/dev/env: data': ['makes an empty entry'],
        'secret/subkeys/+/+/dev/env: read': ['reads names of keys'],
        'secret/metadata/+/+/dev/env: patch': ['labels'],
        'secret/metadata/+/+/dev/env: custom_metadata': ['labels'],
        ...loginLines,
      })
    })

    test('refuses everything else, also values and other environments', async () => {
      const staging = 'payments/shop/staging/env'
      const acts = [
        readsValues,
        makesEntry,
        addsKeys,
        revives,
        elsewhere('makes entries of staging', 'POST', `secret/data/${staging}`, EMPTY),
        elsewhere('reads names of staging', 'GET', `secret/subkeys/${staging}`),
        elsewhere('labels staging', 'PATCH', `secret/metadata/${staging}`, LABELS),
        ...forbidden,
      ]
      expect(await refusedBy(openbao(), await hclOf('portico-runs'), acts)).toStrictEqual(
        namesOf(acts),
      )
    })
  })

  describe('team.hcl', () => {
    const allowed = [makesEmptyEntry, makesEntry, readsNames, addsKeys, labels, ...login]

    test('allows exactly what persons of the team do, by every line', async () => {
      const hcl = await hclOf('team')
      expect(await refusedBy(openbao(), hcl, allowed)).toStrictEqual([])
      expect(await proofOf(hcl, allowed)).toStrictEqual({
        'secret/data/payments/+/+/env: create': [
          'makes an empty entry',
          'makes an entry with values',
        ],
        'secret/data/payments/+/+/env: patch': ['adds keys'],
        'secret/subkeys/payments/+/+/env: read': ['reads names of keys'],
        'secret/metadata/payments/+/+/env: patch': ['labels'],
        'secret/metadata/payments/+/+/env: custom_metadata': ['labels'],
        ...loginLines,
      })
    })

    test('refuses everything else, also other teams', async () => {
      const other = 'platform/shop/dev/env'
      const acts = [
        readsValues,
        revives,
        renewsLogin,
        elsewhere('makes entries of another team', 'POST', `secret/data/${other}`, EMPTY),
        elsewhere('reads names of another team', 'GET', `secret/subkeys/${other}`),
        elsewhere('labels another team', 'PATCH', `secret/metadata/${other}`, LABELS),
        ...forbidden,
      ]
      expect(await refusedBy(openbao(), await hclOf('team'), acts)).toStrictEqual(namesOf(acts))
    })
  })

  describe('external-secrets.hcl', () => {
    const allowed = [readsValues, looksAtLogin, endsLogin]

    test('allows exactly what the operator does, by every line', async () => {
      const hcl = await hclOf('external-secrets')
      expect(await refusedBy(openbao(), hcl, allowed)).toStrictEqual([])
      expect(await proofOf(hcl, allowed)).toStrictEqual({
        'secret/data/+/+/+/env: read': ['reads values'],
        'auth/token/lookup-self: read': ['looks at its login'],
        'auth/token/revoke-self: update': ['ends its login'],
      })
    })

    test('refuses everything else', async () => {
      const acts = [
        makesEmptyEntry,
        makesEntry,
        readsNames,
        addsKeys,
        revives,
        labels,
        asksForRights,
        renewsLogin,
        ...without(forbidden, 'reads an earlier version'),
      ]
      expect(await refusedBy(openbao(), await hclOf('external-secrets'), acts)).toStrictEqual(
        namesOf(acts),
      )
    })
  })
})
