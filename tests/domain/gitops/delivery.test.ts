import { expect, test } from 'bun:test'
import { changedPart } from '#src/lib/domain/gitops/delivery.ts'
import giteaPullRequest from '#tests/support/deliveries/gitea-pull-request.json'
import giteaPush from '#tests/support/deliveries/gitea-push.json'
import githubPullRequest from '#tests/support/deliveries/github-pull-request.json'
import { GITOPS } from '#tests/support/portal.ts'

const PULL_REQUEST = ['pull_request']
const part = (events: readonly string[], payload: object | string | undefined) =>
  changedPart(
    { events, payload: typeof payload === 'object' ? JSON.stringify(payload) : payload },
    GITOPS,
  )
const of = (full_name: string, action = 'opened') => ({
  ...githubPullRequest,
  action,
  repository: { ...githubPullRequest.repository, full_name },
})

test.each([
  ['GitHub, ours', PULL_REQUEST, of('Acme/GitOps'), 'pulls'],
  ['Gitea, ours', ['pull_request', 'pull_request', 'pull_request'], giteaPullRequest, 'pulls'],
  ['any action', PULL_REQUEST, of('acme/gitops', 'something_new'), 'pulls'],
  ['an unread one', PULL_REQUEST, undefined, 'pulls'],
  ['one of another shape', PULL_REQUEST, '{"repository":"acme/gitops"}', 'pulls'],
  ['another repository', PULL_REQUEST, githubPullRequest, null],
  ['a repository that begins like ours', PULL_REQUEST, of('acme/gitops-2'), null],
  ['a comment', ['issue_comment'], of('acme/gitops'), null],
  ['a review', ['pull_request_review'], of('acme/gitops'), null],
  ['a push', ['push'], giteaPush, 'files'],
  ['a push, also named otherwise', ['pull_request', 'push'], giteaPush, 'files'],
  ['an event without a name', [], of('acme/gitops'), 'files'],
] as const)('the changed part: %s', (_, events, payload, expected) => {
  expect(part(events, payload)).toBe(expected)
})
