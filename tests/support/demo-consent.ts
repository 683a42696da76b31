import { challengeOf, type Tokens } from './grants.ts'

/** A browser without pages at a demo: it signs in, allows the request, and signs in once more for it. Answers where the program gets its answer. */
export async function allowAtDemo(origin: string, page: string, user: string): Promise<string> {
  const post = (path: string, cookie: string, fields: Readonly<Record<string, string>>) =>
    fetch(new URL(path, origin), {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { cookie },
      redirect: 'manual',
    })
  const cookiesOf = (response: Response) =>
    response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const session = cookiesOf(await post('/dev/sign-in', '', { user })).join('; ')
  const consentPage = await (await fetch(page, { headers: { cookie: session } })).text()
  const [, consent = ''] = /name="consent" value="([^"]+)"/.exec(consentPage) ?? []
  const allowed = await post('/oauth/authorize', session, { consent, choice: 'allow', team: '' })
  const all = [session, ...cookiesOf(allowed)].join('; ')
  const at = new URL(allowed.headers.get('location') ?? '', origin)
  const state = at.searchParams.get('state') ?? ''
  const back = await post('/dev/sign-in', all, { user, state })
  const callback = new URL(back.headers.get('location') ?? '', origin)
  const last = await (await fetch(callback, { headers: { cookie: all } })).text()
  const [, next = ''] = /content="0; url=([^"]+)"/.exec(last) ?? []
  return next.replaceAll('&amp;', '&')
}

const REDIRECT = 'http://127.0.0.1:1/callback'
const VERIFIER = 'v'.repeat(64)

interface Asked {
  readonly scope: string
  readonly resource: string
}

/** Tokens of a person at a demo, by a grant of the command line. */
export async function tokensAtDemo(origin: string, user: string, asked: Asked): Promise<Tokens> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'portico',
    redirect_uri: REDIRECT,
    state: 's',
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    ...asked,
  })
  const back = await allowAtDemo(origin, `${origin}/oauth/authorize?${query.toString()}`, user)
  const issued = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'portico',
      redirect_uri: REDIRECT,
      code: new URL(back).searchParams.get('code') ?? '',
      code_verifier: VERIFIER,
    }),
  })
  return (await issued.json()) as Tokens
}

export const tokenAtDemo = async (origin: string, user: string, asked: Asked): Promise<string> =>
  (await tokensAtDemo(origin, user, asked)).access_token
