import { createHash } from 'node:crypto'
import { ISSUER, people } from '#src/demo/people.ts'
import { ORIGIN, type Person, type TestPortal } from './portal.ts'

const VERIFIER = 'v'.repeat(64)
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')
export const REDIRECT = 'http://127.0.0.1:49152/callback'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

/** The query of an authorization request of the command line. */
export const authorization = (over: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({
    response_type: 'code',
    client_id: 'portico',
    redirect_uri: REDIRECT,
    scope: 'catalog:read',
    state: 'state-of-the-client',
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    resource: ORIGIN,
    ...over,
  }).toString()

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const form = (fields: Readonly<Record<string, string>>) => ({
  method: 'POST',
  headers: FORM,
  body: new URLSearchParams(fields).toString(),
})

/** The sealed request of the consent page. */
export async function consentOf(at: TestPortal, person: Person, query: string): Promise<string> {
  const page = await at.request(`/oauth/authorize?${query}`, { as: person })
  const text = await page.text()
  const [, consent] = /name="consent" value="([^"]+)"/.exec(text) ?? []
  if (consent === undefined) throw new Error(`no consent page: ${page.status} ${text}`)
  return consent
}

/** Allows a request, signs in at the provider for it, and answers where the browser is sent: to the program. */
export async function allow(
  at: TestPortal,
  person: Person,
  query: string,
  { team = '', signsInAs = person }: { readonly team?: string; readonly signsInAs?: Person } = {},
): Promise<URL> {
  const consent = await consentOf(at, person, query)
  const answered = await at.request('/oauth/authorize', {
    ...form({ consent, choice: 'allow', team }),
    as: person,
  })
  if (answered.status !== 303) throw new Error(`not allowed: ${answered.status}`)
  return finish(at, person, answered, signsInAs)
}

/** Comes back from the provider. */
export async function finish(
  at: TestPortal,
  person: Person,
  answered: Response,
  signsInAs: Person,
): Promise<URL> {
  const page = new URL(answered.headers.get('location') ?? '', ORIGIN)
  const state = page.searchParams.get('state') ?? ''
  const code = at.identity.issueCode(people[signsInAs], state)
  const callback = new URLSearchParams({ code, state, iss: ISSUER })
  const cookies = answered.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const session = `portal_session=${await at.signIn(person)}`
  const returned = await at.request(`/api/v1/auth/callback?${callback.toString()}`, {
    headers: { cookie: [session, ...cookies].join('; ') },
  })
  const text = await returned.text()
  const [, location] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text) ?? []
  if (location === undefined) throw new Error(`not back: ${returned.status} ${text}`)
  return new URL(location.replaceAll('&amp;', '&'))
}

export const exchange = (at: TestPortal, fields: Readonly<Record<string, string>>) =>
  at.request(
    '/oauth/token',
    form({
      grant_type: 'authorization_code',
      client_id: 'portico',
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...fields,
    }),
  )

export const refresh = (
  at: TestPortal,
  token: string,
  over: Readonly<Record<string, string>> = {},
) =>
  at.request(
    '/oauth/token',
    form({ grant_type: 'refresh_token', client_id: 'portico', refresh_token: token, ...over }),
  )

/** Tokens of a new grant. */
export async function grantTo(
  at: TestPortal,
  person: Person,
  scope: string,
  { team = '' }: { readonly team?: string } = {},
): Promise<Tokens> {
  const location = await allow(at, person, authorization({ scope }), { team })
  const answer = await exchange(at, { code: location.searchParams.get('code') ?? '' })
  if (answer.status !== 200) throw new Error(`no tokens: ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

export const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
