import { describe, expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import { AUTHOR, branch, bytes, MAIN, oid, path, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

const alter = (change: (commit: object) => unknown): Fault => ({
  kind: 'alter',
  alter: (body) => (body as readonly object[]).map(change),
})
const answer = (status: number, message: string, headers?: Record<string, string>): Fault => ({
  kind: 'answer',
  status,
  body: { message },
  ...(headers !== undefined && { headers }),
})

const tipOf = async ({ seeded }: GitHubFixture) =>
  oid((await seeded.git.reference('refs/heads/main')) ?? '')
const historyOf = async (fixture: GitHubFixture, page?: number) =>
  await fixture.host.listPathCommits(fixture.repository, {
    of: await tipOf(fixture),
    path: path('catalog'),
    ...(page !== undefined && { page }),
  })

describe('GitHub: the history of a path', () => {
  test('comes in pages, with one request for each', async () => {
    await using fixture = await openGitHub()
    const { github, seeded, seed } = fixture
    const commits = Array.from({ length: 55 }, (_, index) => {
      const from = index === 0 ? `from ${seed}\n` : ''
      const head = `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_001 + index} +0000`
      return `${head}\ndata 1\nm\n${from}M 100644 inline catalog/x\ndata 2\n${index + 10}\n`
    })
    await seeded.git.git(['fast-import', '--quiet'], commits.join(''))
    const ids = (await seeded.git.git(['rev-list', 'main'])).toString().trim().split('\n')
    value(await fixture.host.head(fixture.repository))
    github.arrivals.splice(0)
    const first = value(await historyOf(fixture))
    const second = value(await historyOf(fixture, first.nextPage ?? 0))
    expect(github.arrivals.length).toBe(2)
    expect([first.commits.length, second.nextPage]).toStrictEqual([50, null])
    expect([...first.commits, ...second.commits].map(({ id }) => String(id))).toStrictEqual(ids)
  })

  test.each([
    [{ author: null, committer: null }, null, null],
    [{ author: {}, committer: { date: 'soon' } }, null, null],
    [{ author: {}, committer: { date: '+010000-01-01T00:00:00Z' } }, null, null],
    [{ author: { name: 'A\u0000\nB' }, committer: { date: '2100-01-01T00:00:00Z' } }, 'A B', 2100],
  ] as const)('takes a commit by %j', async (signatures, name, year) => {
    await using fixture = await openGitHub({ peer: { isChecked: false } })
    const fault = alter((commit) => ({
      ...commit,
      commit: { message: 'm', ...signatures },
    }))
    fixture.github.fail({ on: 'repos/list-commits', fault })
    const { commits } = value(await historyOf(fixture))
    expect(commits).toStrictEqual([
      {
        id: fixture.seed,
        message: 'm',
        parents: [],
        authorName: name,
        committedAt: year === null ? null : Date.UTC(year, 0),
      },
    ])
  })

  test.each([
    ['an empty repository', answer(409, 'Git Repository is empty.'), 'git_not_found'],
    ['a commit without an id', alter(() => ({ sha: 'x' })), 'git_host_error'],
    ['a body that is cut off', { kind: 'cut', bytes: 40 }, 'git_host_error'],
    ['no list', { kind: 'alter', alter: () => ({}) }, 'git_host_error'],
    [
      'a limit',
      answer(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'retry-after': '99' }),
      'git_rate_limited',
    ],
    ['a refusal', answer(403, 'Resource not accessible by integration'), 'git_denied'],
  ] as const)('is a failure for %s, never a shorter history', async (_name, fault, kind) => {
    await using fixture = await openGitHub({ peer: { isChecked: false } })
    value(await fixture.host.head(fixture.repository))
    fixture.github.fail({ on: 'repos/list-commits', times: 3, fault })
    expect(await historyOf(fixture)).toMatchObject({ ok: false, error: { kind } })
    fixture.github.mend()
  })
})

test('a page of a history that repeats is a failure', async () => {
  await using fixture = await openGitHub({ peer: { isChecked: false } })
  const commit = { message: 'm', author: null, committer: null }
  fixture.github.fail({
    on: 'repos/list-commits',
    fault: {
      kind: 'answer',
      status: 200,
      body: [{ sha: fixture.seed, commit, parents: [] }],
      headers: { link: '<https://api.github.com/x?page=2>; rel="next"' },
    },
  })
  expect(await historyOf(fixture, 2)).toMatchObject({ error: { kind: 'git_host_error' } })
})

describe('GitHub: the pull request of a commit', () => {
  const find = async ({ host, repository }: GitHubFixture, commit: ObjectId) =>
    value(await host.findMergedPullRequest(repository, { commit, base: MAIN }))

  /** Two commits on a branch, proposed and merged beside a commit on `main`. */
  async function merged(fixture: GitHubFixture, method: 'merge' | 'squash' | 'rebase') {
    const { host, repository, seeded, seed } = fixture
    await seeded.git.updateReference('refs/heads/topic', seed)
    const [one, two] = [
      await commitFiles(seeded, 'topic', [{ path: 'topic/1', bytes: bytes('1') }]),
      await commitFiles(seeded, 'topic', [{ path: 'topic/2', bytes: bytes('2') }]),
    ]
    const pushed = await commitFiles(seeded, 'main', [{ path: 'base', bytes: bytes('b') }])
    const draft = { head: branch('topic'), base: MAIN, title: 'T', body: '', author: AUTHOR }
    const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
    await fixture.merge(number, method)
    return { number, one: oid(one), two: oid(two), pushed: oid(pushed) }
  }

  test.each(['merge', 'squash', 'rebase'] as const)(
    'merged by %s is that of each commit that the history shows',
    async (method) => {
      await using fixture = await openGitHub()
      const { host, repository, github } = fixture
      const { number, two, pushed } = await merged(fixture, method)
      const of = await tipOf(fixture)
      const history = { of, path: path('topic') }
      const shown = value(await host.listPathCommits(repository, history)).commits
      expect(shown.length).toBe(method === 'squash' ? 1 : 2)
      github.arrivals.splice(0)
      for (const commit of [...shown.map(({ id }) => id), of, two]) {
        const found = await find(fixture, commit)
        expect([found?.number, found?.mergedBy]).toStrictEqual([number, 'ada'])
      }
      expect(github.arrivals.length).toBe((shown.length + 2) * 2)
      expect(await find(fixture, pushed)).toBeNull()
      expect(await find(fixture, fixture.seed)).toBeNull()
    },
  )

  test('is the one that it merged, of those that contain it', async () => {
    await using fixture = await openGitHub()
    const { number } = await merged(fixture, 'squash')
    const squash = await tipOf(fixture)
    const other = (pull: object) => ({ ...pull, number: 99, merge_commit_sha: '1'.repeat(40) })
    fixture.github.fail({
      on: 'repos/list-pull-requests-associated-with-commit',
      fault: {
        kind: 'alter',
        alter: (body) => (body as readonly object[]).flatMap((pull) => [other(pull), pull]),
      },
    })
    expect((await find(fixture, squash))?.number).toBe(number)
  })

  test('is none of a fork, and none that is open or was closed', async () => {
    await using fixture = await openGitHub({ peer: { isChecked: false } })
    const { two } = await merged(fixture, 'merge')
    for (const change of [
      { merged_at: null },
      { merged_at: null, state: 'open' },
      { head: { label: 'eve:topic', ref: 'topic', sha: two, repo: { full_name: 'eve/gitops' } } },
    ]) {
      fixture.github.fail({
        on: 'repos/list-pull-requests-associated-with-commit',
        fault: {
          kind: 'alter',
          alter: (body) => (body as readonly object[]).map((pull) => ({ ...pull, ...change })),
        },
      })
      expect(await find(fixture, two)).toBeNull()
      fixture.github.mend()
    }
  })

  test.each([
    [answer(409, 'Conflict'), 'git_not_found'],
    [answer(403, 'Resource not accessible by integration'), 'git_denied'],
    [answer(500, 'Server Error'), 'git_host_error'],
  ] as const)('is a failure after %j', async (fault, kind) => {
    await using fixture = await openGitHub({ peer: { isChecked: false } })
    const { host, repository, seed, github } = fixture
    value(await host.head(repository))
    const operation = 'repos/list-pull-requests-associated-with-commit'
    github.fail({ on: operation, times: 3, fault })
    expect(
      await host.findMergedPullRequest(repository, { commit: seed, base: MAIN }),
    ).toMatchObject({ ok: false, error: { kind } })
    github.mend()
  })
})
