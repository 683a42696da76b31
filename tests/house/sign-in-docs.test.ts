import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { parseGroupNames } from '#src/lib/adapters/identity/oidc/groups.ts'
import { keyOf, readPage, settingNames, settingsIn } from '#tests/support/docs-page.ts'

const page = await readPage('sign-in.md', 'identity-providers.md')
const { sectionOf } = page
const PROVIDERS = [
  'Keycloak',
  'Microsoft Entra ID',
  'Okta',
  'Google',
  'Dex',
  'A key in place of a secret',
]

const blocksOf = (language: string, text = page.text): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  )

const OTHERS = {
  PUBLIC_URL: 'https://portal.example.org',
  GITOPS_REPOSITORY: 'acme/gitops',
  SESSION_KEYS: keyOf(1),
  SECRET_STORE_KEYS: keyOf(2),
}

/** The commands of the page, run in a folder of their own. */
async function makeKey() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-key-'))
  const [commands = ''] = blocksOf('sh', sectionOf('A key in place of a secret'))
  const [certificate = ''] = /`(openssl req [^`]+)`/.exec(page.text)?.slice(1) ?? []
  const run = Bun.spawnSync(['bash', '-euc', `${commands}${certificate}`], { cwd: folder })
  if (!run.success) throw new Error(run.stderr.toString())
  return {
    files: await readdir(folder),
    pem: readFileSync(join(folder, 'oidc-client-key'), 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

describe('the page about sign-in', () => {
  test.each(PROVIDERS)('has settings that the service takes: %s', async (provider) => {
    const [block = ''] = blocksOf('env', sectionOf(provider))
    const given = settingsIn(block)
    expect(Object.keys(given).filter((name) => !settingNames.has(name))).toStrictEqual([])
    expect(given).toContainKeys(['OIDC_ISSUER', 'OIDC_CLIENT_ID'])
    await using made = await makeKey()
    const config = readConfig({ ...OTHERS, ...given }, (path) =>
      path.endsWith('-key') ? made.pem : 'a-secret',
    )
    expect(config).toMatchObject({ ok: true })
  })

  test('makes a key, its public half and a certificate', async () => {
    await using made = await makeKey()
    expect(made.files.toSorted()).toStrictEqual([
      'oidc-client-key',
      'oidc-client-key.pub',
      'oidc-client.crt',
    ])
  })

  test('has mappings of groups that the service reads', () => {
    const mappings = blocksOf('yaml').filter((block) => !block.startsWith('staticClients'))
    expect(mappings.length).toBeGreaterThanOrEqual(5)
    for (const mapping of mappings) expect(parseGroupNames(mapping)).toMatchObject({ ok: true })
  })

  test('names settings that exist, and every one of the provider', () => {
    const named = new Set(
      page.all(/\b((?:OIDC|SESSION|CLAIMS)_[A-Z_]+|GROUPS_FILE|TRUSTED_PROXIES)\b/g),
    )
    expect([...named].filter((name) => !settingNames.has(name))).toStrictEqual([])
    const ours = [...settingNames].filter(
      (name) => name.startsWith('OIDC_') && !name.endsWith('_FILE'),
    )
    expect(ours.filter((name) => !named.has(name) && !named.has(`${name}_FILE`))).toStrictEqual([])
  })
})
