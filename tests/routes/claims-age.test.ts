import { describe, expect, test } from 'bun:test'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import type { IdentityProvider } from '#src/lib/ports/identity.ts'
import { ada, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import {
  GITOPS,
  openPortal,
  ORIGIN,
  type TestPortal,
  type TestRequest,
} from '#tests/support/portal.ts'
import { SHOP } from '#tests/support/promotion.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const MINUTE = 60_000
const toStaging = { json: { targetLifecycle: 'staging', overlayConfig: {} } }

/** A portal and a certified provider, where Ada manages payments and has just signed in. */
async function openWithProvider(options: Parameters<typeof startOidcPeer>[0] = {}): Promise<
  AsyncDisposable & {
    readonly portal: TestPortal
    readonly provider: Awaited<ReturnType<typeof startOidcPeer>>
    readonly renewals: () => number
    ask(path: string, init?: TestRequest): Promise<Response>
  }
> {
  const manager = { ...ada, groups: ['payments', 'payments:Managers'] }
  const provider = await startOidcPeer({ people: [manager], publicUrl: ORIGIN, ...options })
  let identity: IdentityProvider | undefined
  let renewals = 0
  const portal = await openPortal({
    files: applicationFiles({ lifecycle: 'development' }),
    openIdentity(clock) {
      const oidc = createOidcIdentityProvider(
        oidcSettings(provider.issuer, { publicUrl: new URL(ORIGIN), clock }),
      )
      identity = { ...oidc, renew: (tokens) => (renewals++, oidc.renew(tokens)) }
      return identity
    },
  })
  const started = await identity?.authorizationRequest()
  if (started?.ok !== true) throw new Error('no authorization request')
  const callback = await provider.authorize(started.value.url)
  const signedIn = await identity?.signIn(callback.searchParams, started.value.transaction)
  if (signedIn?.ok !== true) throw new Error(JSON.stringify(signedIn))
  const browser = { address: null, userAgent: null }
  const opened = await portal.portal.sessions.open({ ...signedIn.value, ...browser })
  if (!opened.ok) throw new Error(opened.error.kind)
  return {
    portal,
    provider,
    renewals: () => renewals,
    ask: (path, init = {}) =>
      portal.request(path, {
        ...init,
        headers: { cookie: `portal_session=${opened.value.token}` },
      }),
    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

const pullRequests = (portal: TestPortal) =>
  portal.git.findPullRequests(GITOPS, { state: 'open' }).then((found) => found.ok && found.value)

const promote = (at: Awaited<ReturnType<typeof openWithProvider>>) => at.ask(SHOP, toStaging)

describe('five minutes after the last look at their groups', () => {
  test.each(['revoke', 'disable'] as const)(
    'a person whom the provider has refused (%s) promotes nothing more',
    async (how) => {
      await using at = await openWithProvider()
      await at.provider[how]('ada')
      at.portal.clock.advance(6 * MINUTE)
      const refused = await promote(at)
      expect(refused.headers.get('set-cookie')).toContain('Max-Age=0')
      expect(await outcomeOf(refused)).toBe('401 session_invalid')
      expect(await pullRequests(at.portal)).toStrictEqual([])
      expect((await at.ask('/api/v1/auth/session')).status).toBe(401)
    },
  )

  test('a person who has lost the role is refused, and stays signed in', async () => {
    await using at = await openWithProvider()
    await at.provider.setGroups('ada', ['payments'])
    at.portal.clock.advance(6 * MINUTE)
    expect(await outcomeOf(await promote(at))).toBe('403 forbidden')
    expect(await pullRequests(at.portal)).toStrictEqual([])
    expect(await (await at.ask('/api/v1/auth/session')).json()).toMatchObject({
      groups: ['payments'],
    })
  })

  test('a refusal says what the provider tells of their groups now, not what it told at the sign-in', async () => {
    await using at = await openWithProvider()
    const refusal = async (groups: unknown) => {
      await at.provider.setGroups('ada', groups)
      at.portal.clock.advance(6 * MINUTE)
      const { code, detail } = (await (await promote(at)).json()) as Record<string, unknown>
      return [code, detail]
    }
    const advice = expect.stringContaining('OIDC_GROUPS_CLAIM')
    expect(await refusal({ payments: true })).toStrictEqual(['forbidden', advice])
    expect(await refusal(['payments'])).toStrictEqual(['forbidden', undefined])
  })

  test('a person who has kept it promotes, and the provider is asked once', async () => {
    await using at = await openWithProvider()
    at.portal.clock.advance(6 * MINUTE)
    const all = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await at.ask(`${SHOP}?dryRun=true`, toStaging)).status,
      ),
    )
    expect(new Set(all)).toStrictEqual(new Set([200]))
    expect((await promote(at)).status).toBe(201)
    expect(at.renewals()).toBe(1)
  })
})
