import { expect, test } from 'bun:test'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import { openFake } from './open-gitlab.ts'

test('what GitLab refuses is not said, and a merge request that it refuses whole is left out', async () => {
  await using fixture = await openFake()
  const { host, repository, gitlab } = fixture
  const { commit } = value(await host.head(repository))
  const from = { kind: 'create', parent: commit } as const
  const change = { changes: [write('x', 'x')], message: 'Change', author: AUTHOR }
  value(await host.commit(repository, { branch: branch('topic'), from, ...change }))
  const request = { head: branch('topic'), base: MAIN, title: 't', body: 'b', author: AUTHOR }
  const { pullRequest } = value(await host.openPullRequest(repository, request))
  const facts = async () =>
    (await host.describePullRequests(repository, [pullRequest])).get(pullRequest.number)
  const fault = { kind: 'answer', status: 403, body: { message: 'no' } } as const
  gitlab.fail({ on: 'getMergeRequest', fault })
  expect(await facts()).toMatchObject({ checks: null, draft: null, review: 'none' })
  gitlab.fail({ on: 'any', times: 100, fault })
  expect(await facts()).toBeUndefined()
})
