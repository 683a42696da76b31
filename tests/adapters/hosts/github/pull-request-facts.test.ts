import { describe, expect, test } from 'bun:test'
import type { PullRequest } from '#src/lib/ports/git-host.ts'
import { DESCRIBED_MAX } from '#src/lib/ports/git-host/pull-request.ts'
import { AUTHOR, branch, MAIN, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

async function openPull({ seeded, seed, host, repository }: GitHubFixture): Promise<PullRequest> {
  await seeded.git.updateReference('refs/heads/topic', seed)
  await commitFiles(seeded, 'topic', [{ path: 'topic', bytes: Buffer.from('topic') }])
  const draft = { head: branch('topic'), base: MAIN, title: 't', body: 'b', author: AUTHOR }
  return value(await host.openPullRequest(repository, draft)).pullRequest
}

const questionsOf = ({ github }: GitHubFixture) =>
  github.arrivals.filter(({ name }) => name === 'graphql').length

describe('facts of pull requests at GitHub', () => {
  test('are one question, for the first fifty', async () => {
    await using fixture = await openGitHub()
    const pull = await openPull(fixture)
    const others = Array.from({ length: DESCRIBED_MAX }, (_, index) => ({
      ...pull,
      number: pull.number + 1 + index,
    }))
    const describeAll = (pulls: readonly PullRequest[]) =>
      fixture.host.describePullRequests(fixture.repository, pulls)
    // GitHub has none of the others.
    expect([...(await describeAll([pull, ...others])).keys()]).toStrictEqual([pull.number])
    expect(questionsOf(fixture)).toBe(1)
    expect(await describeAll([...others, pull])).toStrictEqual(new Map())
    expect(questionsOf(fixture)).toBe(2)
  })

  test.each([
    ['statusCheckRollup', { checks: null, review: 'none', draft: false, queued: false }],
    ['reviewDecision', { checks: 'none', review: null, draft: false, queued: false }],
    ['mergeQueueEntry', { checks: 'none', review: 'none', draft: false, queued: null }],
  ])('have no answer where %s is refused', async (field, facts) => {
    await using fixture = await openGitHub()
    const pull = await openPull(fixture)
    const message = 'Resource not accessible by integration'
    const refusal = {
      type: 'FORBIDDEN',
      path: ['repository', `pull${pull.number}`, field],
      message,
    }
    const alter = (body: unknown) => ({ ...(body as object), errors: [refusal] })
    fixture.github.fail({ on: 'graphql', fault: { kind: 'alter', alter } })
    const described = await fixture.host.describePullRequests(fixture.repository, [pull])
    expect(described.get(pull.number)).toMatchObject(facts)
  })

  test.each([
    ['a server without a field', 200, { errors: [{ message: "Field 'x' doesn't exist" }] }],
    ['credentials without the right', 403, { message: 'Forbidden' }],
    ['a failing server', 500, 'no'],
  ])('are none of %s', async (_, status, body) => {
    await using fixture = await openGitHub()
    const pull = await openPull(fixture)
    fixture.github.fail({ on: 'graphql', times: 9, fault: { kind: 'answer', status, body } })
    const described = await fixture.host.describePullRequests(fixture.repository, [pull])
    expect(described).toStrictEqual(new Map())
  })
})
