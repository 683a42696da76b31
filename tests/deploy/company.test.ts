import { beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { load } from 'js-yaml'
import { valuesSchema } from '#scripts/chart.ts'
import { readConfig } from '#src/config/config.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { parseGroupNames } from '#src/lib/adapters/identity/oidc/groups.ts'
import { parseRegistry } from '#src/lib/domain/clusters/registry.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import { VERSION } from '#src/version.ts'
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { readPage } from '#tests/support/docs-page.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const page = await readPage('company.md')
const [values = ''] = page.blocks('yaml')
const given = load(values) as {
  readonly config: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}
const blockWith = (text: string) => page.blocks('sh').find((each) => each.includes(text)) ?? ''

const folder = folderOfTests()
beforeAll(async () => {
  await Bun.$`sh -e -c ${blockWith('umask')}`.cwd(folder)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  await writeFile(
    join(folder, 'github-app-key'),
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
})

describe('the page for a company', () => {
  test('is of this version', () => {
    expect(page.text).toContain(`--tag registry.example.org/portico:${VERSION}`)
  })

  test('makes keys that nobody else reads, and a secret of all of them', async () => {
    const files = [...blockWith('create secret').matchAll(/--from-file=([\w-]+)/g)].map(
      ([, name = '']) => name,
    )
    expect(files).toHaveLength(5)
    for (const name of files) {
      expect(existsSync(join(folder, name))).toBe(true)
      const { mode } = await stat(join(folder, name))
      expect(name === 'github-app-key' || (mode & 0o077) === 0).toBe(true)
    }
  })

  test('has values that the chart takes, and settings that the service takes', () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(valuesSchema()) as object)
    expect([validate(given), validate.errors]).toStrictEqual([true, null])
    const secret = (name: string) => `/etc/portico/secrets/${name}`
    const config = readConfig(
      {
        ...given.config,
        DATABASE_URL_FILE: secret('database-url'),
        SESSION_KEYS_FILE: secret('session-keys'),
        WEBHOOK_TOKEN_FILE: secret('webhook-token'),
        SECRET_STORE: 'vault',
        VAULT_AUTH: 'kubernetes',
        VAULT_ROLE: 'portico',
        VAULT_JWT_FILE: '/var/run/secrets/vault/token',
      },
      (path) => readFileSync(join(folder, basename(path)), 'utf8'),
    )
    expect(config).toMatchObject({ ok: true })
  })

  test('has files that the service takes', () => {
    expect(parseGroupNames(given.files['groups.yaml'] ?? '')).toMatchObject({ ok: true })
    const environments = ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name))
    const source = { environments, nowMs: Date.UTC(2026, 10, 28), readFile: () => err('ENOENT') }
    const registry = parseRegistry(given.files['clusters.yaml'] ?? '', source)
    expect(registry).toMatchObject({ ok: true })
  })

  test.skipIf(postgresBinaries === undefined)('makes a database that Portico can use', async () => {
    await using peer = await startPostgres(postgresBinaries ?? '')
    await using sql = new Bun.SQL(peer.url, { max: 1 })
    // The peer has a superuser of this name.
    const [block = ''] = page.blocks('sql')
    for (const statement of block.replaceAll('portico', 'portal').split(';\n').filter(Boolean)) {
      await sql.unsafe(statement)
    }
    const opened = await openDatabase(
      peer.url.replace('portico@', 'portal@').replace(/[^/]+$/, 'portal'),
    )
    expect(opened).toMatchObject({ ok: true })
    if (opened.ok) await opened.value.close()
  })
})
