import { expect, test } from 'bun:test'
import { gitHosts } from '#src/lib/adapters/hosts/index.ts'
import { readPage, settingNames } from '#tests/support/docs-page.ts'

const page = await readPage('embedded-git-host.md')

test('the page about the embedded git host names settings that exist, and every one of it', () => {
  const named = new Set(page.all(/\b((?:LOCAL|CLAIMS|FAILED|GITOPS|PLATFORM|GIT)_[A-Z_]+)\b/g))
  expect([...named].filter((name) => !settingNames.has(name))).toStrictEqual([])
  const own = Object.keys(gitHosts.local.settings).filter((name) => name.startsWith('LOCAL_'))
  expect(own.filter((name) => !named.has(name))).toStrictEqual([])
})
