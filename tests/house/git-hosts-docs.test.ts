import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { readConfig, settingGroups } from '#src/config.ts'
import openapi from '#src/openapi.gen.json'

const page = await Bun.file('docs/git-hosts.md').text()

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
  SESSION_KEYS: key(1),
  SECRET_STORE_KEYS: key(2),
}

describe('the page about git hosts', () => {
  test.each(['GitHub App', 'A token for GitHub', 'GitHub Enterprise Server', 'Gitea and Forgejo'])(
    'has settings that the service takes: %s',
    (host) => {
      const [, block = ''] = /```env\n([\s\S]*?)```/.exec(sectionOf(host)) ?? []
      const given = Object.fromEntries(
        block
          .trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]),
      )
      expect(Object.keys(given).filter((name) => !known.has(name))).toStrictEqual([])
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
      const config = readConfig({ ...OTHERS, ...given }, (path) =>
        path.endsWith('-key') ? pem : 'a-token',
      )
      expect(config).toMatchObject({ ok: true })
    },
  )

  test('names settings that exist, and every one of the hosts', () => {
    const named = new Set(
      [
        ...page.matchAll(
          /\b((?:GITHUB|GITEA|REPOSITORY|PULL_REQUEST|CATALOG|WEBHOOK|GIT|GITOPS)_[A-Z_]+)\b/g,
        ),
      ].map(([, name]) => name ?? ''),
    )
    expect([...named].filter((name) => !known.has(name))).toStrictEqual([])
    const ours = [...known].filter((name) =>
      /^(GITHUB|GITEA|REPOSITORY|PULL_REQUEST)_/.test(name.replace(/^(.*_TOKEN)_FILE$/, '')),
    )
    expect(ours.filter((name) => !named.has(name) && !named.has(`${name}_FILE`))).toStrictEqual([])
  })

  test('names paths that exist, and leads to places that exist', async () => {
    const paths = [...page.matchAll(/(\/api\/v1\/[a-z/-]+)/g)].map(([, path]) => path ?? '')
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) expect([path, path in openapi.paths]).toStrictEqual([path, true])
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
