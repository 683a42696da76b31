import { describe, expect, test } from 'bun:test'
import type { IdentityFailure } from '#src/lib/ports/identity.ts'
import type { Result } from '#src/lib/result.ts'
import { rejected } from '#tests/contracts/identity.ts'
import {
  type Answer,
  CANARY,
  DISCOVERY,
  failed,
  JWKS,
  openFakeIssuer,
  TOKEN,
} from './fake-issuer.ts'

const html: Answer = () =>
  new Response(`<h1>${CANARY}</h1>`, { headers: { 'content-type': 'text/html' } })
const status =
  (status: number, headers = {}): Answer =>
  () =>
    new Response(`<h1>${CANARY}</h1>`, { status, headers })
const json =
  (body: unknown, init: ResponseInit = {}): Answer =>
  () =>
    Response.json(body, init)
const text =
  (body: string): Answer =>
  () =>
    new Response(body, { headers: { 'content-type': 'application/json' } })
const endless: Answer = () =>
  new Response(`{"access_token":"${'x'.repeat(512 * 1024)}"}`, {
    headers: { 'content-type': 'application/json' },
  })
/** Where, what comes, and what is made of it. */
const BROKEN: readonly (readonly [string, string, Answer, Result<never, IdentityFailure>])[] = [
  [DISCOVERY, '500', status(500), failed('http_500')],
  [DISCOVERY, '404', status(404), failed('http_404')],
  [DISCOVERY, 'a page', html, failed('OAUTH_RESPONSE_IS_NOT_JSON')],
  [DISCOVERY, 'broken JSON', text('{"issuer":'), failed('OAUTH_PARSE_ERROR')],
  [DISCOVERY, 'a list', json([]), failed('OAUTH_INVALID_RESPONSE')],
  [DISCOVERY, 'nothing', json({}), failed('OAUTH_INVALID_RESPONSE')],
  [DISCOVERY, 'no URL', json({ issuer: CANARY }), failed('ERR_INVALID_URL')],
  [DISCOVERY, 'too much', endless, failed('too_many_bytes')],
  [TOKEN, '500', status(500), failed('http_500')],
  [TOKEN, '400 with a page', status(400, { 'content-type': 'text/html' }), failed('http_400')],
  [TOKEN, 'a page', html, failed('OAUTH_RESPONSE_IS_NOT_JSON')],
  [TOKEN, 'broken JSON', text('{"access_token":'), failed('OAUTH_PARSE_ERROR')],
  [TOKEN, 'a list', json([]), failed('OAUTH_INVALID_RESPONSE')],
  [TOKEN, 'nothing', json({}), failed('OAUTH_INVALID_RESPONSE')],
  [TOKEN, 'too much', endless, failed('too_many_bytes')],
  [TOKEN, 'no body', () => new Response(null, { status: 204 }), failed('http_204')],
  [
    TOKEN,
    'invalid_client',
    json({ error: 'invalid_client' }, { status: 400 }),
    failed('invalid_client'),
  ],
  [
    TOKEN,
    'invalid_client with a challenge',
    json(
      { error: 'invalid_client' },
      { status: 401, headers: { 'www-authenticate': `Basic realm="${CANARY}"` } },
    ),
    failed('http_401'),
  ],
  // RFC 8693 has this for a subject token that is not good, and for any other mistake in the request.
  [
    TOKEN,
    'invalid_request',
    json({ error: 'invalid_request' }, { status: 400 }),
    failed('invalid_request'),
  ],
  [
    TOKEN,
    'an error that is none',
    json({ error: CANARY, error_description: CANARY, error_uri: CANARY }, { status: 400 }),
    failed('http_400'),
  ],
  [TOKEN, 'invalid_grant', json({ error: 'invalid_grant' }, { status: 400 }), rejected],
  // Of Entra ID, when its policy asks for a second factor.
  [
    TOKEN,
    'interaction_required',
    json({ error: 'interaction_required' }, { status: 400 }),
    rejected,
  ],
  [TOKEN, 'login_required', json({ error: 'login_required' }, { status: 400 }), rejected],
  [TOKEN, 'consent_required', json({ error: 'consent_required' }, { status: 400 }), rejected],
  [JWKS, '500', status(500), failed('http_500')],
  [JWKS, 'a page', html, failed('no_key_set')],
  [JWKS, 'a list', json([]), failed('no_key_set')],
  [JWKS, 'keys that are none', json({ keys: [null] }), failed('no_key_set')],
  [JWKS, 'no keys', json({ keys: [] }), failed('ERR_JWKS_NO_MATCHING_KEY')],
  [JWKS, 'too much', endless, failed('too_many_bytes')],
]

describe.each(['refresh', 'exchange'] as const)('%s', (call) => {
  test.each(BROKEN)(
    'fails when %s answers with %s, and the next is not held up',
    async (...row) => {
      const [path, , answer, failure] = row
      await using at = await openFakeIssuer()
      at.answers[path] = answer
      expect(await at[call]()).toStrictEqual(failure)
      at.answers[path] = undefined
      expect(await at[call]()).toMatchObject({ ok: true })
    },
  )
})
