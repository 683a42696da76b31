import { describe, expect, test } from 'bun:test'
import {
  parseWorkloadRules,
  type WorkloadRuleSettings,
} from '#src/lib/domain/access/grants/workload-rule.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'

const FILES: Readonly<Record<string, string>> = {
  '/keys.json': '{"keys":[{"kty":"RSA"}]}',
  '/junk': '{}',
  '/private': '{"keys":[{"kty":"RSA"},{"kty":"EC","d":"x"}]}',
  '/shared': '{"keys":[{"kty":"oct","k":"x"}]}',
}

const SETTINGS: WorkloadRuleSettings = {
  readFile: (path) => (FILES[path] === undefined ? err('ENOENT') : ok(FILES[path])),
  origin: 'https://portal.example.org',
  environments: ['dev', 'stg', 'prod'].map((name) => EnvironmentName.of(name)),
  platformGroup: 'platform-team',
}

const RULE = {
  name: 'payments-release',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository_id: '74', environment: 'production' },
  team: 'payments',
  scopes: ['promotion:write'],
}

const parse = (...rules: readonly object[]) =>
  parseWorkloadRules(JSON.stringify({ apiVersion: 'portal/v1', workloads: rules }), SETTINGS)

const mistakes = (change: object) => {
  const parsed = parse({ ...RULE, ...change })
  return parsed.ok ? [] : parsed.error.map(({ message }) => message)
}

describe('a rule', () => {
  test('has the portal as its audience, a quarter of an hour, and every environment', () => {
    expect(parse(RULE)).toStrictEqual(
      ok([
        {
          name: 'payments-release',
          issuer: 'https://token.actions.githubusercontent.com',
          keySet: null,
          audience: 'https://portal.example.org',
          claims: { repository_id: '74', environment: 'production' },
          team: 'payments',
          isManager: false,
          scopes: ['promotion:write'],
          environments: null,
          minutes: 15,
        },
      ] as never),
    )
  })

  test.each<[string, object]>([
    [
      'a protected branch of GitHub',
      { repository_id: '74', ref: 'refs/heads/main', ref_protected: 'true' },
    ],
    [
      'a protected tag of GitLab',
      { project_id: '9', ref: 'v1', ref_type: 'tag', ref_protected: 'true' },
    ],
    ['a service account of Kubernetes', { sub: 'system:serviceaccount:ci:release' }],
  ])('may name %s', (_, claims) => {
    expect(mistakes({ claims })).toStrictEqual([])
  })

  test('has the keys of an issuer that nobody can ask', () => {
    const parsed = parse({ ...RULE, keySetFile: '/keys.json' })
    expect(parsed.ok && parsed.value[0]?.keySet).toBe('{"keys":[{"kty":"RSA"}]}')
  })

  const PROTECTED = 'must have environment, or ref with ref_protected: "true"'
  test.each<[string, object, string]>([
    [
      'anybody in an environment of that name',
      { claims: { environment: 'production' } },
      'claims: must have repository_id, project_id, or a sub that names no repository',
    ],
    [
      'a name that another can take',
      { claims: { repository: 'acme/api', environment: 'production' } },
      'claims: must have repository_id, project_id, or a sub that names no repository',
    ],
    [
      'a subject of GitHub that another can take',
      { claims: { sub: 'repo:acme/api:environment:production', environment: 'production' } },
      'claims: must have repository_id, project_id, or a sub that names no repository',
    ],
    [
      'a subject of GitLab that another can take',
      {
        claims: {
          sub: 'project_path:acme/api:ref_type:branch:ref:main',
          environment: 'production',
        },
      },
      'claims: must have repository_id, project_id, or a sub that names no repository',
    ],
    ['any branch', { claims: { repository_id: '74' } }, `claims: ${PROTECTED}`],
    [
      'a branch that anybody may push',
      { claims: { repository_id: '74', ref: 'refs/heads/main' } },
      `claims: ${PROTECTED}`,
    ],
    [
      'a branch or a tag',
      { claims: { project_id: '9', ref: 'main', ref_protected: 'true' } },
      'claims: must have ref_type: branch or tag beside a ref that does not begin with refs/',
    ],
    [
      'an empty claim',
      { claims: { repository_id: '74', environment: '' } },
      'claims: must have no empty text',
    ],
    [
      'a claim that is no text',
      { claims: { repository_id: 74, environment: 'production' } },
      'claims.repository_id: must be text',
    ],
    [
      'the platform team',
      { team: 'platform-team' },
      'team: must be a team, as a DNS-1123 label; the platform group is none',
    ],
    [
      'managers as a team',
      { team: 'payments:Managers' },
      'team: must be a team, as a DNS-1123 label; the platform group is none',
    ],
    [
      'a scope of clusters',
      { scopes: ['clusters:read'] },
      'scopes[0]: must be a scope other than those of clusters',
    ],
    [
      'an unknown scope',
      { scopes: ['everything'] },
      'scopes[0]: must be a scope other than those of clusters',
    ],
    [
      'an unknown environment',
      { environments: ['live'] },
      'environments[0]: must be an environment: dev, stg, prod',
    ],
    ['more than an hour', { minutes: 61 }, 'minutes: must be a whole number from 1 to 60'],
    [
      'plain http',
      { issuer: 'http://ci.example.org' },
      'issuer: must be an https URL, the `issuer` of the tokens',
    ],
    [
      'no key set',
      { keySetFile: '/junk' },
      'keySetFile: must be a key set (JSON with `keys`, RFC 7517)',
    ],
    [
      'a private key',
      { keySetFile: '/private' },
      'keySetFile: must have public keys alone, and one of these signs',
    ],
    [
      'a shared secret',
      { keySetFile: '/shared' },
      'keySetFile: must have public keys alone, and one of these signs',
    ],
    ['no scope', { scopes: [] }, 'scopes: must have at least one item'],
    ['a key set that is not there', { keySetFile: '/none' }, 'keySetFile: cannot be read: ENOENT'],
    [
      'a misspelt key',
      { environment: 'prod' },
      'environment: there is no such key, only name, issuer, keySetFile, audience, claims, team, manager, scopes, environments, minutes',
    ],
    ['a flag that is text', { manager: 'yes' }, 'manager: must be true or false'],
  ])('is refused for %s', (_, change, message) => {
    expect(mistakes(change)).toStrictEqual([`workloads[0].${message}`])
  })

  test('has a name of its own', () => {
    const parsed = parse(RULE, RULE)
    expect(!parsed.ok && parsed.error.map(({ message }) => message)).toStrictEqual([
      'workloads[1].name: is the name of an entry further up',
    ])
  })
})

test('the rules of docs/ci.md', async () => {
  const page = await Bun.file(new URL('../../../../docs/ci.md', import.meta.url)).text()
  const [first = '', ...more] = [...page.matchAll(/```yaml\n([^`]+)```/g)]
    .map(([, block = '']) => block)
    .filter((block) => block.includes('claims:'))
  expect(more).toHaveLength(2)
  expect(parseWorkloadRules(first, SETTINGS).ok).toBe(true)
  for (const [index, change] of more.entries()) {
    const { issuer, claims } = Bun.YAML.parse(change) as Record<string, unknown>
    expect([index, mistakes({ issuer, claims })]).toStrictEqual([index, []])
  }
})
