import { expect, test } from 'bun:test'
import { parseRepositoryId } from '#src/lib/names.ts'
import { changedPart } from '#src/lib/domain/gitops/delivery.ts'
import giteaPullRequest from '#tests/support/deliveries/gitea-pull-request.json'
import giteaPush from '#tests/support/deliveries/gitea-push.json'
import gitlabMergeRequest from '#tests/support/deliveries/gitlab-merge-request.json'
import gitlabPush from '#tests/support/deliveries/gitlab-push.json'
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

const nested = parseRepositoryId('acme/platform/gitops') ?? GITOPS
const ofGitLab = (events: readonly string[], payload: object) =>
  changedPart({ events, payload: JSON.stringify(payload) }, nested)
const elsewhere = { ...gitlabPush.project, path_with_namespace: 'acme/gitops' }

test.each([
  ['a push', ['Push Hook'], gitlabPush, 'files'],
  ['a push of another branch', ['Push Hook'], { ...gitlabPush, ref: 'refs/heads/x' }, null],
  ['a push elsewhere', ['Push Hook'], { ...gitlabPush, project: elsewhere }, null],
  ['a push of another shape', ['Push Hook'], { project: gitlabPush.project }, 'files'],
  ['a merge request', ['Merge Request Hook'], gitlabMergeRequest, 'pulls'],
  ['one elsewhere', ['Merge Request Hook'], { ...gitlabMergeRequest, project: elsewhere }, null],
  ['a tag', ['Tag Push Hook'], { ...gitlabPush, ref: 'refs/tags/v1' }, null],
  ['a comment', ['Note Hook'], gitlabMergeRequest, null],
] as const)('the changed part in a nested group at GitLab: %s', (_, events, payload, expected) => {
  expect(ofGitLab(events, payload)).toBe(expected)
})
