import { isObject, parseJson } from '../../lib/text/json.ts'
import { EXIT_SIGN_IN } from '../exit-status.ts'
import type { Credential, Credentials } from './credentials.ts'
import { ClientFailure } from './failure.ts'

export const CLIENT_ID = 'portico'
const TIMEOUT_MS = 30_000
/** An access token with less lifetime left is renewed. */
const SPARE_MS = 30_000

/** Asks the token endpoint of a portal, whose address follows from that of the portal and from nothing that it says. */
export async function askForTokens(
  portal: string,
  fields: Readonly<Record<string, string>>,
): Promise<Credential | { readonly error: string }> {
  const asked = Date.now()
  const response = await send(`${portal}/oauth/token`, {
    client_id: CLIENT_ID,
    resource: portal,
    ...fields,
  })
  const answer = parseJson(await response.text())
  if (!isObject(answer)) throw new ClientFailure(`${portal} does not answer like a portal`)
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
  if (
    response.status !== 200 ||
    typeof accessToken !== 'string' ||
    typeof refreshToken !== 'string' ||
    typeof seconds !== 'number'
  ) {
    const error = answer['error'] ?? answer['code']
    return { error: typeof error === 'string' ? error : String(response.status) }
  }
  return { accessToken, refreshToken, expiresAt: asked + seconds * 1000 }
}

export async function revoke(portal: string, token: string): Promise<void> {
  const { ok, status } = await send(`${portal}/oauth/revoke`, { token })
  if (!ok)
    throw new ClientFailure(`the portal did not end the sign-in (status ${status}); try again`)
}

async function send(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw new ClientFailure(`${new URL(url).origin} cannot be reached`)
  }
}

/** Tokens with a valid access token. Processes at once renew it one after the other: a second use of a refresh token ends the sign-in. */
export async function currentCredential(
  portal: string,
  credentials: Credentials,
): Promise<Credential> {
  const isFresh = ({ expiresAt }: Credential) => Date.now() + SPARE_MS < expiresAt
  const known = await credentials.read(portal)
  if (known !== undefined && isFresh(known)) return known
  return credentials.alone(async () => {
    const current = await credentials.read(portal)
    if (current === undefined) throw signInFirst(portal)
    if (isFresh(current)) return current
    const renewed = await askForTokens(portal, {
      grant_type: 'refresh_token',
      refresh_token: current.refreshToken,
    })
    if ('error' in renewed) {
      if (renewed.error !== 'invalid_grant') {
        throw new ClientFailure(`the portal gave no token (${renewed.error}); try again`)
      }
      await credentials.erase(portal)
      throw signInFirst(portal)
    }
    await credentials.write(portal, renewed)
    return renewed
  })
}

export const signInFirst = (portal: string): ClientFailure =>
  new ClientFailure(`sign in first: portico login ${portal}`, EXIT_SIGN_IN)
