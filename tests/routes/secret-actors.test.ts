import { describe, expect, test } from 'bun:test'
import { people } from '#src/demo/people.ts'
import type { IdentityTokens } from '#src/lib/ports/identity.ts'
import { err } from '#src/lib/result.ts'
import { allEvents, storyOf } from '#tests/support/event-stream.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { createPersonalStore, FORBIDDEN } from '#tests/support/personal-store.ts'
import { GITOPS, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import { auditOf, CLIENT, preview, promote, SHOP } from '#tests/support/promotion.ts'

/** A portal with a secret store that knows persons. */
async function open() {
  const store = createPersonalStore()
  const portal = await openPortal({
    files: applicationFiles({}),
    openSecretStore: store.around,
  })
  return Object.assign(portal, { store })
}

const SECRETS = { secrets: { A: 'canary-5f1d' } }

async function answer(response: Response) {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Sends a request with a session that was opened with these tokens of an identity provider. */
async function askWith(
  tokens: IdentityTokens | null,
  portal: TestPortal,
  path: string,
  body: object,
) {
  await portal.signIn('dev', tokens)
  return portal.request(path, { as: 'dev', json: body })
}

const UNAUTHORIZED = {
  status: 403,
  body: {
    code: 'secret_store_unauthorized',
    title: 'The secret store does not accept your sign-in, or it has ended; sign in again',
    loginUrl: '/api/v1/auth/login',
  },
}

describe('a promotion with secrets, at a store that knows persons', () => {
  test('is made in the name of the person, and of nobody else', async () => {
    await using portal = await open()
    expect(await promote(portal, 'development', SECRETS, 'dev')).toMatchObject({ status: 201 })
    expect(portal.store.calls).toStrictEqual(
      ['describe', 'merge', 'label'].map((call) => `${call} as dev`),
    )
  })

  test.each(['describe', 'merge'])(
    'that the store refuses at %p is 403 although the roles allow it, and proposes nothing',
    async (refused) => {
      await using portal = await open()
      portal.store.rule = (_, call) => (call === refused ? FORBIDDEN : null)
      const { status, body } = await promote(portal, 'development', SECRETS)
      expect({ status, body }).toMatchObject({
        status: 403,
        body: {
          code: 'secret_store_forbidden',
          title: 'The secret store does not allow you this',
          detail: expect.stringContaining('your groups'),
        },
      })
      expect(JSON.stringify(body)).not.toContain(FORBIDDEN.what)
      expect(portal.store.calls.every((call) => call.endsWith(' as platform'))).toBe(true)
      expect(await portal.secretVersions()).toStrictEqual([])
      expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
      expect((await auditOf(portal)).at(-1)).toMatchObject({ code: 'secret_store_forbidden' })
      expect(portal.logged.join('\n')).toContain(FORBIDDEN.what)
      expect(portal.logged.join('\n')).not.toContain('canary-5f1d')
    },
  )

  test('is refused in its preview too', async () => {
    await using portal = await open()
    portal.store.rule = () => FORBIDDEN
    expect(await preview(portal, 'development', SECRETS)).toMatchObject({
      status: 403,
      body: { code: 'secret_store_forbidden' },
    })
  })

  test('needs an ID token, and without secrets it needs none', async () => {
    await using portal = await open()
    const body = { targetLifecycle: 'development' }
    const refused = await askWith(null, portal, SHOP, { ...body, overlayConfig: SECRETS })
    expect(await answer(refused)).toMatchObject(UNAUTHORIZED)
    expect((await askWith(null, portal, SHOP, body)).status).toBe(201)
    expect(portal.store.calls).toStrictEqual([])
    expect(await auditOf(portal)).toMatchObject([
      { result: 'denied', code: 'secret_store_unauthorized' },
      { result: 'done' },
    ])
  })

  test('ends the session when its provider refuses to renew the ID token', async () => {
    await using portal = await open()
    const { tokens } = await portal.identity.signInAs(people.dev)
    const ended = { ...tokens, idTokenExpiresAt: 0 }
    portal.provider.failure = { kind: 'identity_rejected' }
    const body = { targetLifecycle: 'development', overlayConfig: SECRETS }
    const refused = await askWith(ended, portal, SHOP, body)
    expect(refused.headers.get('set-cookie')).toStartWith('portal_session=;')
    expect(await answer(refused)).toMatchObject({
      status: 401,
      body: { code: 'session_invalid', loginUrl: '/api/v1/auth/login' },
    })
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      result: 'denied',
      code: 'session_invalid',
    })
  })

  test('is refused for the role before anybody asks for an ID token', async () => {
    await using portal = await open()
    const body = { targetLifecycle: 'staging', overlayConfig: SECRETS }
    const refused = await answer(await askWith(null, portal, SHOP, body))
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await auditOf(portal)).toMatchObject([{ result: 'denied', code: 'forbidden' }])
  })
})

const WANTED = {
  templateId: 'service',
  appName: 'refund-api',
  team: 'payments',
  namespace: 'payments-dev',
}

const scaffold = (portal: TestPortal, body: object = {}, as: Person = 'dev', query = '') =>
  portal.request(`/api/v1/scaffold${query}`, { as, from: CLIENT, json: { ...WANTED, ...body } })

const runsOf = async (portal: TestPortal) =>
  (await (await portal.request('/api/v1/scaffold/runs', { as: 'platform' })).json()) as unknown[]

const SCAFFOLD_DENIED = {
  result: 'denied',
  code: 'secret_store_forbidden',
  target: 'component/refund-api',
  team: 'payments',
  details: { secretPath: 'payments/refund-api/dev/env' },
}

describe('a new project, at a store that knows persons', () => {
  test('creates its entry in the name of the person who asked', async () => {
    await using portal = await open()
    expect(storyOf(await allEvents(await scaffold(portal))).at(-1)).toBe('done')
    expect(portal.store.calls).toStrictEqual(
      ['mayCreate', 'describe', 'merge', 'label'].map((call) => `${call} as dev`),
    )
  })

  test('that the store does not allow begins no run, and is in the audit trail', async () => {
    await using portal = await open()
    portal.store.rule = () => FORBIDDEN
    const denied = { status: 403, body: { code: 'secret_store_forbidden' } }
    expect(await answer(await scaffold(portal, {}, 'platform'))).toMatchObject(denied)
    expect(await answer(await scaffold(portal, {}, 'dev', '?dryRun=true'))).toMatchObject(denied)
    expect(await runsOf(portal)).toStrictEqual([])
    expect(portal.store.calls).toStrictEqual(['mayCreate as platform', 'mayCreate as dev'])
    expect(await auditOf(portal)).toMatchObject([
      {
        action: 'scaffold.start',
        actor: { subject: 'platform' },
        address: CLIENT,
        ...SCAFFOLD_DENIED,
      },
      {
        action: 'scaffold.preview',
        actor: { subject: 'dev' },
        address: CLIENT,
        result: 'denied',
        code: 'secret_store_forbidden',
      },
    ])
  })

  test.each([
    [{ kind: 'secret_store_sealed' }, 503, 'secret_store_sealed'],
    [{ kind: 'secret_store_unreachable' }, 503, 'secret_store_unreachable'],
    [{ kind: 'secret_store_rate_limited', retryAfterSeconds: 7 }, 429, 'rate_limited'],
    [{ kind: 'secret_store_denied', what: 'x' }, 502, 'secret_store_error'],
  ] as const)(
    'begins no run while nobody’s right can be known: %p',
    async (failure, status, code) => {
      await using portal = await open()
      portal.store.rule = () => failure
      expect(await answer(await scaffold(portal))).toMatchObject({ status, body: { code } })
      expect(await runsOf(portal)).toStrictEqual([])
      expect(await auditOf(portal)).toMatchObject([{ result: 'failed', code: failure.kind }])
    },
  )

  test('needs an ID token, and without external secrets neither token nor store', async () => {
    await using portal = await open()
    const refused = await askWith(null, portal, '/api/v1/scaffold', WANTED)
    expect(await answer(refused)).toMatchObject(UNAUTHORIZED)
    const features = { externalSecrets: false }
    const begun = await askWith(null, portal, '/api/v1/scaffold', { ...WANTED, features })
    expect(storyOf(await allEvents(begun)).at(-1)).toBe('done')
    expect(portal.store.calls).toStrictEqual([])
  })

  test('fails at once when the store refuses in the middle, and a retry needs the right again', async () => {
    await using portal = await open()
    const { store } = portal
    store.rule = (_, call) => (call === 'merge' ? FORBIDDEN : null)
    const first = await scaffold(portal)
    const id = first.headers.get('x-run-id') ?? ''
    expect((await allEvents(first)).at(-1)).toMatchObject({
      event: 'failed',
      data: { step: 'create_secret', code: 'secret_store_forbidden', retryable: true },
    })
    expect(store.calls).toStrictEqual(['mayCreate as dev', 'describe as dev', 'merge as dev'])
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      action: 'scaffold.start',
      actor: { subject: 'dev' },
      ...SCAFFOLD_DENIED,
    })

    const retry = (as: Person) =>
      portal.request(`/api/v1/scaffold/runs/${id}/retry`, { method: 'POST', as })
    store.rule = (who) => (who === 'platform' ? null : FORBIDDEN)
    expect(await answer(await retry('dev'))).toMatchObject({
      status: 403,
      body: { code: 'secret_store_forbidden' },
    })
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      action: 'scaffold.retry',
      ...SCAFFOLD_DENIED,
    })
    store.calls.length = 0
    expect(storyOf(await allEvents(await retry('platform'))).at(-1)).toBe('done')
    expect(store.calls).toStrictEqual(
      ['mayCreate', 'describe', 'merge', 'label'].map((call) => `${call} as platform`),
    )
  })

  test('with its entry made needs no right for a retry of what is left', async () => {
    await using portal = await open()
    const { store } = portal
    const host = { ...portal.git }
    portal.git.openPullRequest = async () => err({ kind: 'git_denied', what: 'x' })
    const first = await scaffold(portal)
    expect(storyOf(await allEvents(first)).at(-1)).toBe('failed')
    portal.git.openPullRequest = (...args) => host.openPullRequest(...args)
    store.rule = () => FORBIDDEN
    store.calls.length = 0
    const retried = await portal.request(
      `/api/v1/scaffold/runs/${first.headers.get('x-run-id')}/retry`,
      { method: 'POST', as: 'dev' },
    )
    expect(storyOf(await allEvents(retried)).at(-1)).toBe('done')
    expect(store.calls).toStrictEqual([])
  })
})
