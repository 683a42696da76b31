import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import { AUTHOR, MAIN, oid, path, value, write } from '#tests/contracts/git-host.ts'
import { git, type LocalFixture, openLocal, proposal } from './open-local.ts'

const GRACE = { name: 'Grace', email: 'grace@example.com' }
const inBare = ({ scratch, bare }: LocalFixture, args: readonly string[], stdin = '') =>
  git(scratch, [`--git-dir=${bare}`, ...args], stdin)

/** Commits on `main`, one after another, each of one line of `a`. Answers their ids, oldest first. */
async function grow(fixture: LocalFixture, commits: readonly { readonly by: string }[]) {
  const parts = commits.map(({ by }, index) => {
    const from = index === 0 ? 'from refs/heads/main^0\n' : ''
    const content = `${index}\n`
    return `commit refs/heads/main\nmark :${index + 1}\ncommitter ${by}\ndata 2\nm\n${from}M 100644 inline a\ndata ${content.length}\n${content}\n`
  })
  await inBare(fixture, ['fast-import', '--quiet'], parts.join(''))
  const ids = await inBare(fixture, ['rev-list', `--max-count=${commits.length}`, 'main'])
  return ids.trim().split('\n').map(oid).toReversed()
}

const historyOf = async (
  { host, repository }: LocalFixture,
  file: string,
  { of, page }: { readonly of: ObjectId; readonly page?: number },
) =>
  value(
    await host.browse.history(repository, {
      of,
      path: path(file),
      ...(page !== undefined && { page }),
    }),
  )

describe('local: the history of a path', () => {
  test('comes in pages, each commit once', async () => {
    await using fixture = await openLocal()
    const times = Array.from({ length: 120 }, (_, index) => 1_700_000_000 + index)
    const ids = await grow(
      fixture,
      times.map((at) => ({ by: `A <a@b> ${at} +0000` })),
    )
    const tip = ids.at(-1) ?? oid('0'.repeat(40))
    const found: ObjectId[] = []
    const sizes: number[] = []
    for (let page: number | null = 1; page !== null && sizes.length < 10;) {
      const { commits, nextPage } = await historyOf(fixture, 'a', { of: tip, page })
      found.push(...commits.map(({ id }) => id))
      sizes.push(commits.length)
      page = nextPage
    }
    expect(sizes).toStrictEqual([50, 50, 20])
    expect(found).toStrictEqual(ids.toReversed())
    const full = await historyOf(fixture, 'a', { of: ids[49] ?? tip })
    expect([full.commits.length, full.nextPage]).toStrictEqual([50, null])
    expect(await historyOf(fixture, 'a', { of: tip, page: 9 })).toStrictEqual({
      commits: [],
      nextPage: null,
    })
  })

  test('shows names as one line, takes any time, and none for a commit without', async () => {
    await using fixture = await openLocal()
    const { bare, scratch } = fixture
    const tree = (await inBare(fixture, ['rev-parse', 'main^{tree}'])).trim()
    const write = async (headers: string) => {
      const text = `tree ${tree}\n${headers}\nWords\n`
      const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
      return oid((await git(scratch, [`--git-dir=${bare}`, ...args], text)).trim())
    }
    const shown = async (headers: string) => {
      const { commits } = await historyOf(fixture, 'README.md', { of: await write(headers) })
      return [commits[0]?.authorName, commits[0]?.committedAt]
    }
    const signed = (author: string, committer = author) =>
      `author ${author}\ncommitter ${committer}\n`
    expect(await shown(signed('Ada\u001b[31m\u202e\u0007 X <a@b> 1 +0000'))).toStrictEqual([
      'Ada [31m  X',
      1_000,
    ])
    expect(await shown(signed(`${'x'.repeat(900)} <a@b> 1 +0000`))).toStrictEqual([
      'x'.repeat(200),
      1_000,
    ])
    expect(await shown(signed(' <> 1 +0000', 'B <b@b> 4102444800 +0000'))).toStrictEqual([
      null,
      4_102_444_800_000,
    ])
    for (const never of ['yesterday', '253402300800 +0000', '99999999999999 +0000']) {
      expect(await shown(signed(`Ada <a@b> ${never}`))).toStrictEqual(['Ada', null])
    }
    expect(await shown('\n')).toStrictEqual([null, null])
  })

  test('keeps no messages in memory for names and ids', async () => {
    await using fixture = await openLocal()
    const size = 300_000
    const message = 'x'.repeat(size)
    const commits = Array.from({ length: 6 }, (_, index) => {
      const from = index === 0 ? 'from refs/heads/main^0\n' : ''
      return `commit refs/heads/main\ncommitter Ada <a@b> 1 +0000\ndata ${size}\n${message}\n${from}M 100644 inline a\ndata 2\n${index}\n\n`
    })
    await inBare(fixture, ['fast-import', '--quiet'], commits.join(''))
    const tips = (await inBare(fixture, ['rev-list', '--max-count=6', 'main'])).trim().split('\n')
    Bun.gc(true)
    const before = heapStats().extraMemorySize
    const kept: object[] = []
    for (const tip of tips) {
      const { commits: listed } = await historyOf(fixture, 'a', { of: oid(tip) })
      kept.push(...listed.map(({ id, parents, authorName }) => ({ id, parents, authorName })))
    }
    Bun.gc(true)
    // Of 21 messages; the engine may have the last text still.
    expect(heapStats().extraMemorySize - before).toBeLessThan(9 * size)
    expect(kept).toHaveLength(21)
  })

  test('takes a path for what it is called, not for a pattern', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const change = async (file: string) => {
      const { commit: expected } = value(await host.head(repository))
      const from = { kind: 'advance', expected } as const
      const request = { branch: MAIN, from, changes: [write(file, 'x')] }
      return value(await host.commit(repository, { ...request, message: file, author: AUTHOR }))
    }
    const literal = await change('[ab]')
    const { commit: of } = await change('a')
    const { commits } = await historyOf(fixture, '[ab]', { of })
    expect(commits.map(({ id }) => id)).toStrictEqual([literal.commit])
    expect((await historyOf(fixture, '-a', { of })).commits).toStrictEqual([])
  })
})

describe('local: the pull request of a commit', () => {
  const find = async ({ host, repository }: LocalFixture, commit: ObjectId) =>
    value(await host.findMergedPullRequest(repository, { commit, base: MAIN }))
  const merge = async ({ host, repository }: LocalFixture, number: number) =>
    value(await host.mergePullRequest(repository, number, { by: GRACE }))

  test('is that of its merge, and says who merged', async () => {
    await using fixture = await openLocal()
    const { number, head } = await proposal(fixture, 'topic')
    expect(await find(fixture, head.commit)).toBeNull()
    const merged = await merge(fixture, number)
    expect(merged.mergedBy).toBe('Grace')
    expect(await find(fixture, merged.mergeCommit ?? head.commit)).toStrictEqual(merged)
  })

  test('is the one that somebody merged, of two that ended by one merge', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const outer = await proposal(fixture, 'outer')
    const inner = await proposal(fixture, 'inner')
    const merging = (
      await inBare(fixture, [
        'commit-tree',
        '-p',
        outer.head.commit,
        '-p',
        inner.head.commit,
        '-m',
        'both',
        `${inner.head.commit}^{tree}`,
      ])
    ).trim()
    await inBare(fixture, ['update-ref', 'refs/heads/outer', merging])
    const merged = await merge(fixture, outer.number)
    const [ended] = value(await host.findPullRequests(repository, { number: inner.number }))
    expect([ended?.state, ended?.mergedBy]).toStrictEqual(['merged', null])
    expect((await find(fixture, merged.mergeCommit ?? outer.head.commit))?.number).toBe(
      outer.number,
    )
  })

  test('is none for what was pushed, also while others are merged around it', async () => {
    await using fixture = await openLocal()
    const first = await proposal(fixture, 'first')
    await merge(fixture, first.number)
    const second = await proposal(fixture, 'second')
    const [pushed] = await grow(fixture, [{ by: 'A <a@b> 1700000000 +0000' }])
    await merge(fixture, second.number)
    expect(await find(fixture, pushed ?? oid(''))).toBeNull()
  })
})
