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
    value(await host.commit(repository, { ...request, message: name }))
    const draft = { head: branch(name), base: MAIN, title: name, body: '', author: AUTHOR }
    return value(await host.openPullRequest(repository, draft)).pullRequest.number
  }

  test.each(['merge', 'squash', 'rebase'])(
    'merged by %s is found by its commit on the base',
    async (style) => {
      await using fixture = await openFake()
      const { host, repository, server } = fixture
      const number = await propose(fixture, 'topic')
      const below = `/repos/acme/${repository.name}/pulls/${number}/merge`
      await ask(server, 'POST', below, { do: style })
      await fixture.deleteBranch(branch('topic'))
      const found = await find(fixture, value(await host.head(repository)).commit)
      expect([found?.number, found?.mergedBy]).toStrictEqual([number, 'portico'])
    },
  )

  test('is asked for again after a failure', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const number = await propose(fixture, 'topic')
    await fixture.mergePullRequest(number)
    const { commit } = value(await host.head(repository))
    gitea.fail({ on: 'repoGetCommitPullRequest', times: 3, fault: answer(500, 'broken') })
    const merged = { commit, base: MAIN }
    expect((await host.findMergedPullRequest(repository, merged)).ok).toBe(false)
    gitea.mend()
    expect((await find(fixture, commit))?.number).toBe(number)
    expect(await find(fixture, oid('1'.repeat(40)))).toBeNull()
  })
})
