import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, settingGroups } from '#src/config.ts'
import { parseGroupNames } from '#src/lib/adapters/identity/oidc/group-names.ts'
import openapi from '#src/openapi.gen.json'

const page = await Bun.file('docs/sign-in.md').text()
const PROVIDERS = [
  'Keycloak',
  'Microsoft Entra ID',
  'Okta',
  'Google',
  'Dex',
  'A key in place of a secret',
]

const blocksOf = (language: string, text = page): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  )

const sectionOf = (title: string): string =>
  page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

const known = new Set(
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name])),
)

const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`
const OTHERS = {
  PUBLIC_URL: 'https://portal.example.org',
  GITOPS_REPOSITORY: 'acme/gitops',
  SESSION_KEYS: key(1),
  SECRET_STORE_KEYS: key(2),
}

/** The commands of the page, run in a folder of their own. */
async function makeKey() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-key-'))
  const [commands = ''] = blocksOf('sh', sectionOf('A key in place of a secret'))
  const [certificate = ''] = /`(openssl req [^`]+)`/.exec(page)?.slice(1) ?? []
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
    const given = Object.fromEntries(
      block
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]),
    )
    expect(Object.keys(given).filter((name) => !known.has(name))).toStrictEqual([])
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
      [...page.matchAll(/\b((?:OIDC|SESSION|CLAIMS)_[A-Z_]+|GROUPS_FILE|TRUSTED_PROXIES)\b/g)].map(
        ([, name]) => name ?? '',
      ),
    )
    expect([...named].filter((name) => !known.has(name))).toStrictEqual([])
    const ours = [...known].filter((name) => name.startsWith('OIDC_') && !name.endsWith('_FILE'))
    expect(ours.filter((name) => !named.has(name) && !named.has(`${name}_FILE`))).toStrictEqual([])
  })

  test('names paths, codes and pages that exist', async () => {
    const paths = [...page.matchAll(/(\/api\/v1\/[a-z/-]+)/g)].map(([, path]) => path ?? '')
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) expect([path, path in openapi.paths]).toStrictEqual([path, true])
    const problems = await Bun.file('src/lib/http/problem.ts').text()
    const codes = [...page.matchAll(/`((?:sign_in|identity|session)_[a-z]+)`/g)].map(
      ([, code]) => code ?? '',
    )
    expect(codes.length).toBeGreaterThan(6)
    for (const code of codes) expect(problems).toContain(code)
    const rows = sectionOf('When something goes wrong').split('### ')[0] ?? ''
    const titles = [...rows.matchAll(/^\| ([A-Z][^|`]+?)(?:, `| \|)/gm)].map(
      ([, title]) => title ?? '',
    )
    expect(titles.length).toBeGreaterThan(5)
    const pages = await Promise.all(
      ['failure-page.ts', 'groups-page.ts'].map((file) =>
        Bun.file(`src/lib/presenters/sign-in/${file}`).text(),
      ),
    )
    for (const title of titles) expect(pages.join()).toContain(`'${title}'`)
  })

  test('leads to places that exist', async () => {
    const links = [...page.matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g)]
    expect(links.length).toBeGreaterThan(3)
    for (const [link, file = '', anchor] of links) {
      const text = file === '' ? page : await Bun.file(join('docs', file)).text()
      const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
      if (anchor !== undefined) expect([link, anchors.includes(anchor)]).toStrictEqual([link, true])
    }
  })
})
