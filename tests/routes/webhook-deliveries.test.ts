import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import githubPing from '#tests/support/deliveries/github-ping.json'
import githubPushTag from '#tests/support/deliveries/github-push-tag.json'
import githubPush from '#tests/support/deliveries/github-push.json'
import giteaPush from '#tests/support/deliveries/gitea-push.json'
import gitlabMergeRequest from '#tests/support/deliveries/gitlab-merge-request.json'
import gitlabPush from '#tests/support/deliveries/gitlab-push.json'
import { sharedPortal, type TestPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const REFRESH = '/api/v1/webhooks/catalog/refresh'
const MEBIBYTE = 1024 * 1024

type Headers = Readonly<Record<string, string>>

const signatureOf = (text: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', WEBHOOK_TOKEN).update(text).digest('hex')}`,
})
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

const asJson = (text: string) => ({ body: text, headers: { ...JSON_TYPE, ...signatureOf(text) } })
const formOf = (text: string) => new URLSearchParams({ payload: text }).toString()
/** GitHub signs what it sends. */
const asForm = (text: string) => ({
  body: formOf(text),
  headers: { ...FORM_TYPE, ...signatureOf(formOf(text)) },
})
/** Gitea and Forgejo sign the payload before it becomes a form. */
const asGiteaForm = (text: string) => ({
  body: formOf(text),
  headers: { ...FORM_TYPE, ...signatureOf(text) },
})

const GITHUB = { 'x-github-event': 'push' }
const GITEA = { 'x-gitea-event': 'push', 'x-gogs-event': 'push', 'x-github-event': 'push' }
const FORGEJO = { 'x-forgejo-event': 'push' }
const GOGS = { 'x-gogs-event': 'push' }

/** A push of GitHub's to the gitops repository. */
const ours = {
  ...githubPush,
  ref: 'refs/heads/main',
  repository: { ...githubPush.repository, full_name: 'Acme/GitOps', default_branch: 'main' },
}
const text = (payload: object) => JSON.stringify(payload)

/** Sends a delivery, and tells whether the next read asked the git host. */
async function deliver(
  portal: TestPortal,
  delivery: { readonly body: string; readonly headers: Headers },
  events: Headers,
) {
  await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  portal.git.calls.length = 0
  const { status } = await portal.request(REFRESH, {
    method: 'POST',
    body: delivery.body,
    headers: { ...delivery.headers, ...events },
  })
  await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  return { status, invalidated: portal.git.calls.includes('head') }
}

const shared = sharedPortal()

const REFRESHED = { status: 204, invalidated: true }
const IGNORED = { status: 204, invalidated: false }

describe('a signed delivery', () => {
  test.each([
    ['GitHub, our push', asJson(text(ours)), GITHUB],
    ['GitHub, our push in a form', asForm(text(ours)), GITHUB],
    ['Gitea, our push', asJson(text(giteaPush)), GITEA],
    ['Gitea, our push in a form', asGiteaForm(text(giteaPush)), GITEA],
    ['Forgejo, our push', asJson(text(giteaPush)), FORGEJO],
    ['Gogs, our push', asJson(text(giteaPush)), GOGS],
    ['no named event', asJson(text(githubPush)), {}],
    ['a push that is no JSON', asJson('{'), GITHUB],
    ['a push without a body', asJson(''), GITHUB],
    ['a push of another shape', asJson('{"ref":"refs/heads/other"}'), GITHUB],
    [
      'a form without a payload',
      { body: 'x=1', headers: { ...FORM_TYPE, ...signatureOf('x=1') } },
      GITHUB,
    ],
    [
      'a push too large to be kept',
      asJson(text({ ...githubPush, more: 'x'.repeat(MEBIBYTE) })),
      GITHUB,
    ],
  ] as const)('of %s refreshes the catalog', async (_, delivery, events) => {
    const portal = shared()
    expect(await deliver(portal, delivery, events)).toStrictEqual(REFRESHED)
  })

  test.each([
    ['a push of another repository', asJson(text(githubPush)), GITHUB],
    ['a push of another repository in a form', asForm(text(githubPush)), GITHUB],
    [
      'another branch',
      asJson(text({ ...ours, ref: 'refs/heads/promote/payments/shop/dev' })),
      GITHUB,
    ],
    [
      'a branch named like the default one',
      asJson(text({ ...ours, ref: 'refs/heads/x/main' })),
      GITHUB,
    ],
    ['a tag', asJson(text({ ...githubPushTag, repository: ours.repository })), GITHUB],
    ['Gitea, another branch', asJson(text({ ...giteaPush, ref: 'refs/heads/other' })), GITEA],
    [
      'Gitea, another branch in a form',
      asGiteaForm(text({ ...giteaPush, ref: 'refs/heads/other' })),
      GITEA,
    ],
    ['Forgejo, another branch', asJson(text({ ...giteaPush, ref: 'refs/heads/other' })), FORGEJO],
    ['Gogs, another branch', asJson(text({ ...giteaPush, ref: 'refs/heads/other' })), GOGS],
    ['a push of just what may be kept', asJson(text(githubPush).padEnd(MEBIBYTE)), GITHUB],
    ['a ping', asJson(text(githubPing)), { 'x-github-event': 'ping' }],
    ['an issue of Gitea', asJson('{}'), { 'x-gitea-event': 'issues', 'x-github-event': 'issues' }],
  ] as const)('of %s does nothing', async (_, delivery, events) => {
    const portal = shared()
    expect(await deliver(portal, delivery, events)).toStrictEqual(IGNORED)
  })

  test.each([
    [
      'a wrong signature of a form',
      { ...asForm(text(ours)), headers: { ...FORM_TYPE, ...signatureOf('x') } },
    ],
    [
      'a signed payload in a form that has another one first',
      {
        body: `payload=%7B%7D&${formOf(text(giteaPush))}`,
        headers: { ...FORM_TYPE, ...signatureOf(text(giteaPush)) },
      },
    ],
    [
      'a signed payload that is sent as JSON within a form',
      {
        body: formOf(text(giteaPush)),
        headers: { ...JSON_TYPE, ...signatureOf(text(giteaPush)) },
      },
    ],
  ] as const)('with %s is refused', async (_, delivery) => {
    const portal = shared()
    expect(await deliver(portal, delivery, GITEA)).toStrictEqual({
      status: 401,
      invalidated: false,
    })
  })
})

test.each([
  ['a push of another repository', text(githubPush), GITHUB],
  ['a ping', text(githubPing), { 'x-github-event': 'ping' }],
] as const)('%s with the bearer token refreshes the catalog', async (_, body, events) => {
  const portal = shared()
  const headers = { ...JSON_TYPE, authorization: `Bearer ${WEBHOOK_TOKEN}` }
  expect(await deliver(portal, { body, headers }, events)).toStrictEqual(REFRESHED)
})

describe('a delivery of GitLab, which sends the secret itself,', () => {
  const project = { ...gitlabPush.project, path_with_namespace: 'Acme/GitOps' }
  const PUSH = { 'x-gitlab-event': 'Push Hook' }
  const sent = (payload: object, token: string = WEBHOOK_TOKEN) => ({
    body: text(payload),
    headers: { ...JSON_TYPE, 'x-gitlab-token': token },
  })

  test.each([
    ['our push', sent({ ...gitlabPush, project }), PUSH, REFRESHED],
    ['a push of another repository', sent(gitlabPush), PUSH, IGNORED],
    [
      'another branch',
      sent({ ...gitlabPush, project, ref: 'refs/heads/promote/payments/shop/dev' }),
      PUSH,
      IGNORED,
    ],
    [
      'a merge request',
      sent({ ...gitlabMergeRequest, project }),
      { 'x-gitlab-event': 'Merge Request Hook' },
      IGNORED,
    ],
    ['a pipeline', sent({ project }), { 'x-gitlab-event': 'Pipeline Hook' }, IGNORED],
  ] as const)('of %s', async (_, delivery, events, outcome) => {
    const portal = shared()
    expect(await deliver(portal, delivery, events)).toStrictEqual(outcome)
  })

  test.each([
    ['a wrong token', `${WEBHOOK_TOKEN}x`],
    ['a shorter token', WEBHOOK_TOKEN.slice(1)],
    ['the token as a bearer', `Bearer ${WEBHOOK_TOKEN}`],
    ['an empty token', ''],
  ])('with %s is refused', async (_, token) => {
    const portal = shared()
    const delivery = sent({ ...gitlabPush, project }, token)
    expect(await deliver(portal, delivery, PUSH)).toStrictEqual({ status: 401, invalidated: false })
  })
})
