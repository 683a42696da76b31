import { describe, expect, test } from 'bun:test'
import { productionVariables, readConfig, settingGroups } from '#src/config/config.ts'
import { settings } from '#src/config/table.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const VALID = {
  PUBLIC_URL: 'https://portal.example.org',
  SESSION_KEYS: `k1:${KEY}`,
  SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 2).toString('base64')}`,
  GITOPS_REPOSITORY: 'acme/gitops',
}
const noFiles = (): string => {
  throw new Error('no such file')
}
const mistakesOf = (environment: Record<string, string>) => {
  const config = readConfig(environment, noFiles)
  return config.ok ? [] : config.error.map(({ variable }) => variable)
}

describe('the configuration', () => {
  test('needs four variables; everything else has a default', () => {
    expect(mistakesOf({})).toStrictEqual([
      'PUBLIC_URL',
      'SESSION_KEYS',
      'GITOPS_REPOSITORY',
      'SECRET_STORE_KEYS',
    ])
    const config = readConfig(VALID, noFiles)
    expect(config).toMatchObject({
      ok: true,
      value: {
        PORT: 8080,
        CATALOG_TTL_SECONDS: 300,
        CATALOG_MAX_STALE_SECONDS: 3600,
        SESSION_IDLE_SECONDS: 3600,
        SESSION_ABSOLUTE_SECONDS: 36_000,
        PLATFORM_GROUP: 'platform-team',
        WEBHOOK_TOKEN: [],
        READYZ_REQUIRE_SESSION: false,
        GITOPS_REPOSITORY: { owner: 'acme', name: 'gitops' },
      },
    })
  })

  test.each([
    ['REPOSITORY_CODEOWNERS', '* @{org}/{app}'],
    ['REPOSITORY_CODEOWNERS', '# nobody'],
    ['PUBLIC_URL', 'portal.example.org'],
    ['PUBLIC_URL', 'https://portal.example.org/path'],
    ['PUBLIC_URL', 'ftp://portal.example.org'],
    ['PUBLIC_URL', 'https://user@portal.example.org'],
    ['PUBLIC_URL', 'http://:secret@portal.example.org'],
    ['PUBLIC_URL', 'https://portal.example.org?'],
    ['PUBLIC_URL', 'https://portal.example.org/#top'],
    ['HOST', 'not an address'],
    ['HOST', 'dead.beef'],
    ['HOST', '1.2.3'],
    ['HOST', '1.2.3.256'],
    ['HOST', '::1::'],
    ['HOST', ''],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', ''],
    ['ALLOWED_HOSTS', 'a'],
    ['UI_ORIGINS', '*'],
    ['UI_ORIGINS', 'https://ui.example.org, null'],
    ['UI_ORIGINS', 'https://:secret@ui.example.org'],
    ['TRUSTED_PROXIES', '*'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ingress'],
    ['DATABASE_URL', 'mysql://x'],
    ['SESSION_KEYS', 'k1:short'],
    ['SESSION_KEYS', `k1:${KEY},k1:${KEY}`],
    ['SESSION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
    ['SESSION_KEYS', `k1:${KEY},k0:${Buffer.alloc(32).toString('base64')}`],
    ['SECRET_STORE_KEYS', `another-name:${KEY}`],
    ['SECRET_DIGEST_KEYS', `another-name:${KEY}`],
    ['SECRET_DIGEST_KEYS', 'd1:short'],
    ['SESSION_IDLE_SECONDS', '59'],
    ['GIT_HOST', 'bitbucket'],
    ['GIT_HOST', 'toString'],
    ['SECRET_STORE', 'safe'],
    ['GITOPS_REPOSITORY', 'gitops'],
    ['GITOPS_REPOSITORY', 'acme/..'],
    ['GITOPS_REPOSITORY', 'acme/a/b'],
    ['CATALOG_DIRECTORY', '../catalog'],
    ['CATALOG_DIRECTORY', '/catalog'],
    ['CATALOG_TTL_SECONDS', '0'],
    ['WEBHOOK_TOKEN', 'short'],
    ['WEBHOOK_TOKEN', 'a'.repeat(16)],
    ['WEBHOOK_TOKEN', '1234'.repeat(12)],
    ['WEBHOOK_TOKEN', 'abcde'.repeat(3)],
    ['WEBHOOK_TOKEN', 'abcdefgh'.repeat(33)],
    ['WEBHOOK_TOKEN', 'sixteen characters'],
    ['WEBHOOK_TOKEN', 'sixteen-charäcters'],
    ['WEBHOOK_TOKEN', `${'abcdefgh'.repeat(2)},short`],
    ['READYZ_REQUIRE_SESSION', 'yes'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s, and nothing else', (variable, value) => {
    expect(mistakesOf({ ...VALID, [variable]: value })).toStrictEqual([variable])
  })

  test.each([
    ['PUBLIC_URL', 'http://portal.example.org:8080/'],
    ['HOST', 'localhost'],
    ['HOST', '127.0.0.1'],
    ['HOST', '::'],
    ['HOST', '2001:db8::1'],
    ['TRUSTED_PROXIES', ''],
    ['TRUSTED_PROXIES', '10.42.0.0/16, 2001:db8::/48, 192.0.2.1'],
    ['REPOSITORY_CODEOWNERS', '.* @{org}/{team} @acme/platform-team'],
    ['WEBHOOK_TOKEN', ''],
    ['WEBHOOK_TOKEN', 'abcdefgh'.repeat(2)],
    ['WEBHOOK_TOKEN', `${'abcdefgh'.repeat(32)}, ${'ijklmnop'.repeat(2)}`],
    ['SECRET_DIGEST_KEYS', ''],
    ['SECRET_DIGEST_KEYS', `d1:${Buffer.alloc(32, 3).toString('base64')}`],
    // A key that once sealed both can leave one after the other.
    ['SECRET_STORE_KEYS', `s2:${Buffer.alloc(32, 2).toString('base64')},s1:${KEY}`],
  ])('takes %s=%s', (variable, value) => {
    expect(mistakesOf({ ...VALID, [variable]: value })).toStrictEqual([])
  })

  test('reports every mistake at once, with a reason and an example, never a value', () => {
    const canary = 'hunter2-hunter2'
    const environment = Object.fromEntries(
      Object.keys(settings).map((name) => [name, `\0${canary}`]),
    )
    const config = readConfig(environment, noFiles)
    if (config.ok) throw new Error('accepted nonsense')
    expect(config.error.length).toBeGreaterThan(15)
    expect(JSON.stringify(config.error)).not.toContain(canary)
    for (const { reason, example } of config.error) {
      expect(reason).toMatch(/^(must|is) /)
      expect(example).not.toBe('')
    }
  })

  test('reads each file once, so that all who ask see the same text', () => {
    const paths: string[] = []
    const read = (path: string) => {
      paths.push(path)
      return `k9:${KEY}\n`
    }
    const { SESSION_KEYS: _, ...rest } = VALID
    expect(readConfig({ ...rest, SESSION_KEYS_FILE: '/run/keys' }, read).ok).toBe(true)
    expect(paths).toStrictEqual(['/run/keys'])
  })

  test('takes secrets from files', () => {
    const read = (path: string) => (path === '/run/keys' ? `k9:${KEY}\n` : noFiles())
    const { SESSION_KEYS: _, ...rest } = VALID
    expect(readConfig({ ...rest, SESSION_KEYS_FILE: '/run/keys' }, read).ok).toBe(true)
    const wrong = [
      [
        { SESSION_KEYS_FILE: '/run/missing' },
        'cannot be read from the file that SESSION_KEYS_FILE names',
      ],
      [
        { SESSION_KEYS_FILE: 'relative' },
        'comes from SESSION_KEYS_FILE, which must be an absolute path',
      ],
      [
        { SESSION_KEYS_FILE: '/run/keys', SESSION_KEYS: `k1:${KEY}` },
        'is set twice, also as SESSION_KEYS_FILE',
      ],
    ] as const
    for (const [environment, reason] of wrong) {
      const config = readConfig({ ...rest, ...environment }, read)
      expect(config).toMatchObject({ ok: false, error: [{ variable: 'SESSION_KEYS', reason }] })
    }
  })

  test('refuses to run without certificate checks', () => {
    expect(mistakesOf({ ...VALID, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toStrictEqual([
      'NODE_TLS_REJECT_UNAUTHORIZED',
    ])
  })

  test('metrics have a port of their own', () => {
    expect(mistakesOf({ ...VALID, METRICS_PORT: '8080' })).toStrictEqual(['METRICS_PORT'])
    expect(mistakesOf({ ...VALID, METRICS_PORT: '8081' })).toStrictEqual([])
  })

  test('settings of PostgreSQL are refused beside another database', () => {
    const postgresOnly = {
      DATABASE_LISTEN_URL: 'postgres://portico@primary/portico',
      DATABASE_CA_FILE: '/etc/portico/database-ca.pem',
    }
    for (const database of [{}, { DATABASE_URL: 'sqlite:/data/portico.sqlite' }]) {
      expect(mistakesOf({ ...VALID, ...database, ...postgresOnly })).toStrictEqual([
        'DATABASE_LISTEN_URL',
        'DATABASE_CA_FILE',
      ])
    }
    const DATABASE_URL = 'postgres://portico@pooler/portico'
    expect(mistakesOf({ ...VALID, DATABASE_URL, ...postgresOnly })).toStrictEqual([])
  })

  test('every setting explains itself', () => {
    for (const [name, { description, example }] of Object.entries(settings)) {
      expect([name, description.length > 10, example.length > 0]).toStrictEqual([name, true, true])
    }
  })
})

test('production variables are recognised, also as files', () => {
  expect(
    productionVariables({
      PORT: '1',
      SESSION_KEYS_FILE: '/x',
      GITOPS_REPOSITORY: 'a/b',
      WEBHOOK_TOKEN: 'x',
    }),
  ).toStrictEqual(['GITOPS_REPOSITORY', 'SESSION_KEYS_FILE'])
})

test('every setting has a subject, and one only', () => {
  const listed = settingGroups.flatMap(({ table }) => Object.keys(table))
  expect(settingGroups.map(({ title }) => title)).not.toContain('Other settings')
  expect(listed.filter((name, index) => listed.indexOf(name) !== index)).toStrictEqual([])
  for (const name of Object.keys(settings)) expect(listed).toContain(name)
})

describe('an owner within another one', () => {
  const nested = {
    ...VALID,
    GITOPS_REPOSITORY: 'acme/platform/gitops',
    CLI_REPOSITORY: 'acme/tools/cli',
    TEMPLATES_REPOSITORY: 'acme/templates',
  }

  test('is a group of GitLab', () => {
    const settings = { GIT_HOST: 'gitlab', GITLAB_URL: 'https://gitlab.com', GITLAB_TOKEN: 'x' }
    expect(readConfig({ ...nested, ...settings }, noFiles)).toMatchObject({
      ok: true,
      value: {
        GITOPS_REPOSITORY: { owner: 'acme/platform', name: 'gitops' },
        CLI_REPOSITORY: { owner: 'acme/tools', name: 'cli' },
      },
    })
  })

  test.each([
    ['local', {}],
    ['github', { GITHUB_TOKEN: 'x' }],
    ['gitea', { GITEA_URL: 'https://git.example.org', GITEA_TOKEN: 'x' }],
  ])('is a mistake with %s', (GIT_HOST, settings) => {
    const config = readConfig({ ...nested, GIT_HOST, ...settings }, noFiles)
    const reason = 'must be owner/name: only GitLab (GIT_HOST=gitlab) has groups within groups'
    expect(config).toStrictEqual({
      ok: false,
      error: [
        { variable: 'GITOPS_REPOSITORY', reason, example: 'acme/gitops' },
        { variable: 'CLI_REPOSITORY', reason, example: 'acme/cli' },
      ],
    })
  })
})
