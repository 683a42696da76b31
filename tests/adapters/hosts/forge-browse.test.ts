import { describe, expect, test } from 'bun:test'
import { AUTHOR, branch, MAIN, oid, path, TEAM, value } from '#tests/contracts/git-host.ts'
import { git, type LocalFixture, openLocal, proposal } from './open-local.ts'

const NOWHERE = oid('0'.repeat(40))

const tipOf = async ({ host, repository }: LocalFixture, name = 'main') =>
  value(await host.head(repository, branch(name))).commit

const inBare = ({ scratch, bare }: LocalFixture, args: readonly string[]) =>
  git(scratch, [`--git-dir=${bare}`, ...args])

describe('local: what people look at', () => {
  test('a repository says what it is for, and whose', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    expect(value(await host.browse.about(repository))).toStrictEqual({
      description: 'd',
      team: TEAM,
    })
    await inBare(fixture, ['config', '--remove-section', 'portico'])
    expect(value(await host.browse.about(repository))).toStrictEqual({
      description: '',
      team: null,
    })
  })

  test('branches come with their last commits; unusual names are counted', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const { head } = await proposal(fixture, 'change')
    await inBare(fixture, ['update-ref', 'refs/heads/ünusual', head.commit])
    const { tips, leftOut } = value(await host.browse.tips(repository))
    expect(leftOut).toBe(1)
    const names = tips.map(({ branch: name, isDefault }) => `${name}${isDefault ? '*' : ''}`)
    expect(names.toSorted()).toStrictEqual(['change', 'main*'])
    expect(tips.find(({ isDefault }) => !isDefault)).toMatchObject({
      commit: head.commit,
      subject: 'change',
      authorName: AUTHOR.name,
    })
  })

  test('folders have folders first, and say what else is in them', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    await fixture.plant(branch('kinds'), [
      { path: 'a', mode: '100644', content: 'text' },
      { path: 'b/c', mode: '100644', content: '' },
      { path: 'link', mode: '120000', content: '/etc/passwd' },
      { path: 'module', mode: '160000', content: '1'.repeat(40) },
      { path: 'new\nline', mode: '100644', content: '' },
    ])
    const commit = await tipOf(fixture, 'kinds')
    const read = async (folder: string | null) =>
      host.browse.folder(repository, { commit, path: folder === null ? null : path(folder) })
    expect(value(await read(null))).toStrictEqual({
      isCut: false,
      items: [
        { kind: 'folder', rawName: 'b', path: path('b'), sizeBytes: null },
        { kind: 'file', rawName: 'a', path: path('a'), sizeBytes: 4 },
        { kind: 'symbolic_link', rawName: 'link', path: path('link'), sizeBytes: 11 },
        { kind: 'submodule', rawName: 'module', path: path('module'), sizeBytes: null },
        { kind: 'file', rawName: 'new\nline', path: null, sizeBytes: 0 },
      ],
    })
    expect(value(await read('b')).items).toMatchObject([{ rawName: 'c', path: 'b/c' }])
    for (const missing of ['a', 'link', 'module', 'nothing', 'b/c']) {
      expect(await read(missing)).toMatchObject({ error: { kind: 'git_not_found', what: 'file' } })
    }
    const item = (name: string) => host.browse.item(repository, { commit, path: path(name) })
    expect(value(await item('b/c'))).toMatchObject({ kind: 'file', rawName: 'c', path: 'b/c' })
    expect(value(await item('b'))).toMatchObject({ kind: 'folder' })
    expect(value(await item('nothing'))).toBeNull()
  })

  test('of a huge folder there is a part', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const entries = Array.from({ length: 9_000 }, (_, index) => ({
      path: `${'x'.repeat(100)}${index}`,
      mode: '100644' as const,
      content: '',
    }))
    await fixture.plant(branch('huge'), entries)
    const commit = await tipOf(fixture, 'huge')
    const { items, isCut } = value(await host.browse.folder(repository, { commit, path: null }))
    expect(isCut).toBe(true)
    expect(items.length).toBeGreaterThan(5_000)
    expect(items.length).toBeLessThan(9_000)
  })

  test('a commit has its changes, the first one and one without a common history too', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    await fixture.plant(branch('alone'), [{ path: 'a', mode: '100644', content: 'a\n' }])
    const [head, base] = [await tipOf(fixture, 'alone'), await tipOf(fixture)]
    expect(value(await host.browse.commit(repository, head))).toMatchObject({
      id: head,
      parents: [],
      authorName: 'A',
    })
    const added = [{ rawPath: 'a', change: 'added', additions: 1, deletions: 0 }]
    for (const changes of [
      value(await host.browse.changes(repository, { base: null, head })),
      value(await host.browse.changes(repository, { base, head })),
    ]) {
      expect(changes).toMatchObject({ files: added, diff: { truncated: false } })
      expect(changes.diff.text).toEndWith('@@ -0,0 +1 @@\n+a\n')
    }
    const alone = value(await host.browse.history(repository, { of: head, without: base }))
    expect(alone.commits.map(({ id }) => id)).toStrictEqual([head])
  })

  test('what is no commit is not found', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const commit = await tipOf(fixture)
    const blob = oid((await inBare(fixture, ['rev-parse', 'main:README.md'])).trim())
    const missing = { error: { kind: 'git_not_found', what: 'commit' } }
    for (const id of [NOWHERE, blob]) {
      for (const answer of [
        host.browse.commit(repository, id),
        host.browse.folder(repository, { commit: id, path: null }),
        host.browse.item(repository, { commit: id, path: path('README.md') }),
        host.browse.history(repository, { of: id }),
        host.browse.history(repository, { of: commit, without: id }),
        host.browse.changes(repository, { base: commit, head: id }),
      ]) {
        expect(await answer).toMatchObject(missing)
      }
    }
  })

  test('a pull request keeps its commits when it has ended', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const merged = await proposal(fixture, 'merged')
    const closed = await proposal(fixture, 'closed')
    const subjects = async (number: number) => {
      const { base, head } = value(await host.review(repository, number)).range
      const history = value(await host.browse.history(repository, { of: head, without: base }))
      return history.commits.map(({ message }) => message.trim())
    }
    const open = [await subjects(merged.number), await subjects(closed.number)]
    await fixture.mergePullRequest(merged.number)
    await fixture.closePullRequest(closed.number)
    await fixture.deleteBranch(branch('closed'))
    await fixture.deleteBranch(branch('merged'))
    expect([await subjects(merged.number), await subjects(closed.number)]).toStrictEqual(open)
    expect(open).toStrictEqual([['merged'], ['closed']])
    const pushed = await proposal(fixture, 'pushed')
    await fixture.resetBranch(MAIN, pushed.head.commit)
    expect(await subjects(pushed.number)).toContain('pushed')
    expect(await host.review(repository, 99)).toMatchObject({
      error: { kind: 'forge_pull_request_not_found' },
    })
  })
})
