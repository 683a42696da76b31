import { afterAll, expect, test } from 'bun:test'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type CustomFetch,
  customFetch,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { allow, REDIRECT, withToken } from '#tests/support/grants.ts'

const portal = await openPortal()
afterAll(() => portal[Symbol.asyncDispose]())

/** A certified client library, by our metadata alone. */
test('openid-client finds us, and does code, refresh and revocation', async () => {
  const toPortal: CustomFetch = (url, { method, headers, body }) =>
    portal.request(url.replace(ORIGIN, ''), {
      method,
      headers,
      ...(body != null && { body }),
    })
  const client = await discovery(new URL(ORIGIN), 'portico', undefined, None(), {
    algorithm: 'oauth2',
    execute: [allowInsecureRequests],
    [customFetch]: toPortal,
  })
  client[customFetch] = toPortal
  const verifier = randomPKCECodeVerifier()
  const state = randomState()
  const url = buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT,
    scope: 'catalog:read audit:read',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource: ORIGIN,
  })
  const back = await allow(portal, 'dev', url.searchParams.toString())
  const tokens = await authorizationCodeGrant(
    client,
    back,
    { pkceCodeVerifier: verifier, expectedState: state },
    { resource: ORIGIN },
  )
  expect(tokens.scope).toBe('catalog:read audit:read')
  const renewed = await refreshTokenGrant(client, tokens.refresh_token ?? '')
  const session = await portal.request('/api/v1/auth/session', withToken(renewed.access_token))
  expect(await session.json()).toMatchObject({ subject: 'dev' })
  await tokenRevocation(client, renewed.refresh_token ?? '')
  const ended = await portal.request('/api/v1/auth/session', withToken(renewed.access_token))
  expect(ended.status).toBe(401)
})
