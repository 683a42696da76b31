import { describe, expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import type { PathCommits } from '#src/lib/ports/git-host/history.ts'
import { AUTHOR, branch, MAIN, oid, path, value, write } from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

const answer = (status: number, message: string): Fault => ({
  kind: 'answer',
  status,
  body: { message },
})

async function change(fixture: FakeFixture, text: string): Promise<ObjectId> {
  const { host, repository } = fixture
  const { commit: expected } = value(await host.head(repository))
  const from = { kind: 'advance', expected } as const
  const request = { branch: MAIN, from, changes: [write('catalog/x', text)], author: AUTHOR }
  return value(await host.commit(repository, { ...request, message: text })).commit
}

const historyOf = async ({ host, repository }: FakeFixture, page?: number) => {
  const { commit: of } = value(await host.head(repository))
  const history = { of, path: path('catalog/x') }
  return await host.listPathCommits(repository, { ...history, ...(page !== undefined && { page }) })
}

describe('Gitea: the history of a path', () => {
  test.each([
    ['shorter than a list', 2, [2, 2, 1]],
    ['longer than a list', 60, [5]],
  ])('has pages of its own, here %s', async (_name, size, expected) => {
    await using fixture = await openFake()
    fixture.gitea.state.commitsRangeSize = size
    const ids: ObjectId[] = []
    for (let index = 0; index < 5; index += 1) ids.push(await change(fixture, String(index)))
    const found: ObjectId[] = []
    const sizes: number[] = []
    for (let page: number | null = 1; page !== null && sizes.length < 9;) {
      const listed: PathCommits = value(await historyOf(fixture, page))
      found.push(...listed.commits.map(({ id }) => id))
      sizes.push(listed.commits.length)
      page = listed.nextPage
    }
    expect(found).toStrictEqual(ids.toReversed())
    expect(sizes).toStrictEqual(expected)
  })

  test('ends with an empty page where the links count on shorter ones', async () => {
    await using fixture = await openFake()
    await change(fixture, 'one')
    const link = '<https://git.example.org/api/v1/x?page=2>; rel="next"'
    for (const body of [[], null]) {
      const fault: Fault = { kind: 'answer', status: 200, body: body as object, headers: { link } }
      fixture.gitea.fail({ on: 'repoGetAllCommits', fault })
      expect(value(await historyOf(fixture, 2))).toStrictEqual({ commits: [], nextPage: null })
      fixture.gitea.mend()
    }
  })

  test('is a failure for an empty repository, a refusal and a fault', async () => {
    await using fixture = await openFake()
    await change(fixture, 'one')
    for (const [fault, kind] of [
      [answer(409, 'Git Repository is empty.'), 'git_not_found'],
      [answer(403, 'token does not have the scope'), 'git_denied'],
      [answer(500, 'exit status 128'), 'git_host_error'],
    ] as const) {
      fixture.gitea.fail({ on: 'repoGetAllCommits', times: 3, fault })
      expect(await historyOf(fixture)).toMatchObject({ ok: false, error: { kind } })
      fixture.gitea.mend()
    }
  })
})

describe('Gitea: the pull request of a commit', () => {
  const find = async ({ host, repository }: FakeFixture, commit: ObjectId) =>
    value(await host.findMergedPullRequest(repository, { commit, base: MAIN }))

  async function propose(fixture: FakeFixture, name: string) {
    const { host, repository } = fixture
    const { commit: parent } = value(await host.head(repository))
    const from = { kind: 'create', parent } as const
    const request = { branch: branch(name), from, changes: [write(name, name)], author: AUTHOR }
    const { commit } = value(await host.commit(repository, { ...request, message: name }))
    const draft = { head: branch(name), base: MAIN, title: name, body: '', author: AUTHOR }
    const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
    return { number, commit }
  }

  test.each(['merge', 'squash', 'rebase'])(
    'merged by %s is found by its commit on the base and by its branch',
    async (style) => {
      await using fixture = await openFake()
      const { host, repository, server } = fixture
      const { number, commit } = await propose(fixture, 'topic')
      const below = `/repos/acme/${repository.name}/pulls/${number}/merge`
      await ask(server, 'POST', below, { do: style })
      await fixture.deleteBranch(branch('topic'))
      const { commit: tip } = value(await host.head(repository))
      for (const each of [tip, commit]) {
        const found = await find(fixture, each)
        expect([found?.number, found?.mergedBy]).toStrictEqual([number, 'portico'])
      }
    },
  )

  test('is found for a page of commits with one listing of all heads', async () => {
    await using fixture = await openFake()
    const { gitea } = fixture
    const commits: ObjectId[] = []
    for (const name of ['one', 'two', 'three']) {
      const { number, commit } = await propose(fixture, name)
      await fixture.mergePullRequest(number)
      commits.push(commit)
    }
    gitea.arrivals.splice(0)
    const found = await Promise.all(commits.map((commit) => find(fixture, commit)))
    expect(found.map((pull) => pull?.head.commit)).toStrictEqual(commits)
    const count = (name: string) => gitea.arrivals.filter((each) => each.name === name).length
    expect([count('repoListGitRefs'), gitea.arrivals.length]).toStrictEqual([1, 7])
  })

  test('is the merged one of those with the same last commit, also right after none was', async () => {
    await using fixture = await openFake()
    const { host, repository } = fixture
    const first = await propose(fixture, 'topic')
    await fixture.closePullRequest(first.number)
    expect(await find(fixture, first.commit)).toBeNull()
    const draft = { head: branch('topic'), base: MAIN, title: 'again', body: '', author: AUTHOR }
    const second = value(await host.openPullRequest(repository, draft)).pullRequest
    await fixture.mergePullRequest(second.number)
    expect((await find(fixture, first.commit))?.number).toBe(second.number)
  })

  test('is asked for again after a failure', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const { number, commit } = await propose(fixture, 'topic')
    await fixture.mergePullRequest(number)
    for (const on of ['repoGetCommitPullRequest', 'repoListGitRefs'] as const) {
      gitea.fail({ on, times: 3, fault: answer(500, 'broken') })
      const merged = { commit, base: MAIN }
      expect((await host.findMergedPullRequest(repository, merged)).ok).toBe(false)
      gitea.mend()
    }
    expect((await find(fixture, commit))?.number).toBe(number)
    expect(await find(fixture, oid('1'.repeat(40)))).toBeNull()
  })
})
