import { isObject, parseJson } from '../../lib/text/json.ts'
import { EXIT_FAILED, EXIT_REFUSED, EXIT_SIGN_IN } from '../exit-status.ts'
import { openCredentials } from './credentials.ts'
import { ClientFailure, usage } from './failure.ts'
import { currentCredential, signInFirst } from './tokens.ts'
import { isLoopback } from '../../lib/text/ip-address.ts'

/** A portal that the person is signed in at. */
export interface Connection {
  readonly portal: string
  /** Sends a request with the token. `path` stays on the portal, whatever it is. */
  send(method: string, path: string, init?: RequestInit): Promise<Response>
  /** The JSON of an answer of the API, of which the document of the API says what it is. */
  read<Answer>(path: string): Promise<Answer>
  write<Answer>(path: string, body: unknown): Promise<Answer>
}

/** Of `read` and `write`, with their bodies. */
const TIMEOUT_MS = 60_000

/** The portal that a command names, or that of the last sign-in. `PORTICO_TOKEN` is an access token, for CI. */
export function connect({ portal: named }: { readonly portal?: string }): Connection {
  const credentials = openCredentials(process.env)
  const given = named ?? process.env['PORTICO_URL'] ?? credentials.portals()[0]
  if (given === undefined) {
    throw new ClientFailure('sign in first: portico login https://portal.example.org', EXIT_SIGN_IN)
  }
  const portal = portalOrigin(given)
  const { PORTICO_TOKEN: token } = process.env

  async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const url = URL.parse(path, portal)
    if (url?.origin !== portal) throw new ClientFailure('the path must be one of the portal')
    const headers = new Headers(init.headers)
    const held = token ?? (await currentCredential(portal, credentials)).accessToken
    headers.set('authorization', `Bearer ${held}`)
    try {
      return await fetch(url, { ...init, method, headers, redirect: 'manual' })
    } catch {
      throw new ClientFailure(`${portal} cannot be reached`)
    }
  }

  async function json<Answer>(response: Response): Promise<Answer> {
    if (!response.ok) throw await refusal(portal, response)
    const answer = parseJson(await response.text())
    if (answer === undefined) throw new ClientFailure('the portal gave an answer without JSON')
    // The document of the API is the contract; texts are made printable where they are shown.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return answer as Answer
  }

  return {
    portal,
    send,
    read: async (path) =>
      json(await send('GET', path, { signal: AbortSignal.timeout(TIMEOUT_MS) })),
    write: async (path, body) =>
      json(
        await send('POST', path, {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        }),
      ),
  }
}

/** The failure of an answer, in the portal's words. */
export async function refusal(portal: string, response: Response): Promise<ClientFailure> {
  const { status } = response
  const problem = parseJson(await response.text())
  const { title, detail } = isObject(problem) ? problem : {}
  if (status === 401) {
    if (process.env['PORTICO_TOKEN'] !== undefined) {
      return new ClientFailure(`${portal} does not accept PORTICO_TOKEN`, EXIT_SIGN_IN)
    }
    return isObject(problem) && problem['code'] === 'session_stale'
      ? new ClientFailure(`your groups cannot be checked: portico login ${portal}`, EXIT_SIGN_IN)
      : signInFirst(portal)
  }
  const words = [title, detail].filter((text) => typeof text === 'string').join(': ')
  const isFinal = status >= 400 && status < 500 && status !== 429
  return new ClientFailure(words || `status ${status}`, isFinal ? EXIT_REFUSED : EXIT_FAILED)
}

/** The origin of a portal. Plain http only to this machine: everything that follows carries a token. */
export function portalOrigin(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url === null || url.username !== '' || url.password !== '') {
    throw usage('the portal must be a URL such as https://portal.example.org')
  }
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isSafe) throw usage('the portal must be an https URL: a token would be readable on the way')
  return url.origin
}

/** The pieces of a streamed text between separators, as they come. */
export async function* piecesOf(
  response: Response,
  separator: string,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  const stream: ReadableStream<Uint8Array> | null = response.body
  let rest = ''
  for await (const part of stream ?? []) {
    const pieces = `${rest}${decoder.decode(part, { stream: true })}`.split(separator)
    rest = pieces.pop() ?? ''
    yield* pieces
  }
  if (rest !== '') yield rest
}
