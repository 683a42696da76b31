import { describe, expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import { AUTHOR, branch, bytes, MAIN, oid, path, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

const answer = (status: number, message: string, headers?: Record<string, string>): Fault => ({
  kind: 'answer',
  status,
  body: { message },
  ...(headers !== undefined && { headers }),
})

const tipOf = async ({ seeded }: GitHubFixture) =>
  oid((await seeded.git.reference('refs/heads/main')) ?? '')
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
      const { number, pushed } = await merged(fixture, method)
      const of = await tipOf(fixture)
      const history = { of, paths: [path('topic')], limit: 10 }
      const shown = value(await host.listCommits(repository, history))
      expect(shown.length).toBe(method === 'rebase' ? 2 : 1)
      github.arrivals.splice(0)
      for (const { id: commit } of shown) {
        const found = await find(fixture, commit)
        expect([found?.number, found?.mergedBy]).toStrictEqual([number, 'ada'])
      }
      expect(github.arrivals.length).toBe(shown.length * 2)
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
