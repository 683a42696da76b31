import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { readConfig } from '#src/config/config.ts'
import { keyOf, readPage, settingNames, settingsIn } from '#tests/support/docs-page.ts'

const page = await readPage('git-hosts.md', 'github.md', 'git-use.md')
const OTHERS = {
  PUBLIC_URL: 'https://portal.example.org',
  SESSION_KEYS: keyOf(1),
  SECRET_STORE_KEYS: keyOf(2),
}

describe('the page about git hosts', () => {
  test.each([
    'GitHub App',
    'A token for GitHub',
    'GitHub Enterprise Server',
    'GitLab',
    'Gitea and Forgejo',
  ])('has settings that the service takes: %s', (host) => {
    const [, block = ''] = /```env\n([\s\S]*?)```/.exec(page.sectionOf(host)) ?? []
    const given = settingsIn(block)
    expect(Object.keys(given).filter((name) => !settingNames.has(name))).toStrictEqual([])
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const config = readConfig({ ...OTHERS, ...given }, (path) =>
      path.endsWith('-key') ? pem : 'a-token',
    )
    expect(config).toMatchObject({ ok: true })
  })

  test('names settings that exist, and every one of the hosts', () => {
    const named = new Set(
      page.all(
        /\b((?:GITHUB|GITLAB|GITEA|REPOSITORY|PULL_REQUEST|CATALOG|WEBHOOK|GIT|GITOPS)_[A-Z_]+)\b/g,
      ),
    )
    expect([...named].filter((name) => !settingNames.has(name))).toStrictEqual([])
    const ours = [...settingNames].filter((name) =>
      /^(GITHUB|GITLAB|GITEA|REPOSITORY|PULL_REQUEST)_/.test(name.replace(/^(.*_TOKEN)_FILE$/, '')),
    )
    expect(ours.filter((name) => !named.has(name) && !named.has(`${name}_FILE`))).toStrictEqual([])
  })
})
