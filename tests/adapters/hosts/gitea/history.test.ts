import { describe, expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import { AUTHOR, branch, MAIN, oid, value, write } from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

const answer = (status: number, message: string): Fault => ({
  kind: 'answer',
  status,
  body: { message },
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
    gitea.gitArrivals.splice(0)
    const found = await Promise.all(commits.map((commit) => find(fixture, commit)))
    expect(found.map((pull) => pull?.head.commit)).toStrictEqual(commits)
    const listings = gitea.gitArrivals.filter(({ name }) => name === 'git-advertise')
    expect([listings.length, gitea.arrivals.length]).toStrictEqual([1, 6])
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
    for (const on of ['repoGetCommitPullRequest', 'git-advertise'] as const) {
      gitea.fail({ on, times: 3, fault: answer(500, 'broken') })
      const merged = { commit, base: MAIN }
      expect((await host.findMergedPullRequest(repository, merged)).ok).toBe(false)
      gitea.mend()
    }
    expect((await find(fixture, commit))?.number).toBe(number)
    expect(await find(fixture, oid('1'.repeat(40)))).toBeNull()
  })
})
