import { describe, expect, test } from 'bun:test'
import { gitHubRefusal } from '#src/lib/adapters/hosts/github/api/refusal.ts'

const refusal = (status: number, message?: string, headers: Record<string, string> = {}) =>
  gitHubRefusal(
    { status, headers: new Headers(headers), json: message === undefined ? {} : { message } },
    { repository: 'acme/gitops', right: 'contents: write' },
  )
const denied = (what: string) => ({ kind: 'git_denied' as const, what })
const INTEGRATION = 'Resource not accessible by integration'

describe('a 403 of GitHub is', () => {
  test.each([
    ['a missing permission of an App', refusal(403, INTEGRATION), 'contents: write on acme/gitops'],
    [
      'a missing permission of a token',
      refusal(403, 'Resource not accessible by personal access token'),
      'contents: write on acme/gitops',
    ],
    [
      'a missing permission that GitHub names',
      refusal(403, INTEGRATION, { 'x-accepted-github-permissions': 'pull_requests=write' }),
      'pull_requests: write on acme/gitops',
    ],
    [
      'a missing permission out of several sets',
      refusal(403, INTEGRATION, {
        'x-accepted-github-permissions': 'contents=write,workflows=write; administration=write',
      }),
      'contents: write and workflows: write or administration: write on acme/gitops',
    ],
    [
      'a missing permission whose header says nothing',
      refusal(403, INTEGRATION, {
        'x-accepted-github-permissions': 'allows_permissionless_access=true',
      }),
      'contents: write on acme/gitops',
    ],
    [
      'an archived repository',
      refusal(403, 'Repository was archived so is read-only.'),
      'acme/gitops is archived',
    ],
    [
      'single sign-on, by its header',
      refusal(403, 'Forbidden', {
        'x-github-sso': 'required; url=https://github.com/orgs/a/sso?x=secret',
      }),
      'the credentials are not authorized for the single sign-on of acme/gitops',
    ],
    [
      'single sign-on, by its text',
      refusal(
        403,
        'Resource protected by organization SAML enforcement. You must grant your token access.',
      ),
      'the credentials are not authorized for the single sign-on of acme/gitops',
    ],
    [
      'an IP allow list',
      refusal(
        403,
        'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
      ),
      'the IP allow list of acme/gitops does not have our address',
    ],
    ['something else', refusal(403, 'Not today.'), 'contents: write on acme/gitops (Not today.)'],
    ['without a reason', refusal(403), 'contents: write on acme/gitops'],
  ])('%s', (_, failure, what) => {
    expect(failure).toStrictEqual(denied(what))
  })
})

test('another status is what it is at every host', () => {
  expect(refusal(404)).toStrictEqual({ kind: 'git_not_found', what: 'repository' })
  expect(refusal(451)).toStrictEqual(denied('acme/gitops is blocked for legal reasons'))
  expect(refusal(422, 'Validation Failed')).toStrictEqual({
    kind: 'git_host_error',
    reason: 'answered with 422 (Validation Failed)',
  })
})
