import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { EXIT_SIGN_IN } from '../exit-status.ts'
import { openCredentials } from './credentials.ts'
import { connect, portalOrigin } from './connection.ts'
import { ClientFailure } from './failure.ts'
import { line } from './print.ts'
import { openQuestions } from './questions.ts'
import { askForTokens, CLIENT_ID, revoke } from './tokens.ts'

export interface LoginRequest {
  readonly paste: boolean
  readonly scopes: string
  /** `false`: only shows the address. */
  readonly browser: boolean
}

const WAIT_MS = 5 * 60_000

/** Signs in by the browser: on this machine it comes back by itself, elsewhere the person pastes a code. */
export async function login(address: string, request: LoginRequest): Promise<void> {
  const portal = portalOrigin(address)
  const verifier = randomBytes(48).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const { redirectUri, code } = request.paste ? pasted(portal) : listening(portal, state)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    scope: request.scopes,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: portal,
  })
  const page = `${portal}/oauth/authorize?${query.toString()}`
  console.log(`Open this page and allow the command line:\n\n  ${page}\n`)
  if (request.browser && !request.paste) openPage(page)
  const tokens = await askForTokens(portal, {
    grant_type: 'authorization_code',
    code: await code(),
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  if ('error' in tokens) throw new ClientFailure(`not signed in: ${tokens.error}`, EXIT_SIGN_IN)
  const credentials = openCredentials(process.env)
  await credentials.alone(async () => {
    await credentials.erase(portal)
    await credentials.write(portal, tokens)
  })
  line(`Signed in at ${portal}`)
}

/** The code that a page of the portal shows. */
function pasted(portal: string) {
  return {
    redirectUri: `${portal}/oauth/code`,
    code: async (): Promise<string> => {
      using questions = openQuestions(new ClientFailure('no code was pasted', EXIT_SIGN_IN))
      return questions.ask('Paste the code: ')
    },
  }
}

/** The code that the browser brings to a listener on the loopback interface (RFC 8252 §7.3). */
function listening(portal: string, state: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== '/callback' || searchParams.get('state') !== state) {
        return new Response('There is nothing here.', { status: 404 })
      }
      const code = searchParams.get('code')
      // RFC 9207: an answer of another server is none, even with the right state.
      if (searchParams.get('iss') !== portal || code === null) {
        reject(
          new ClientFailure(
            `not signed in: ${searchParams.get('error') ?? 'no code'}`,
            EXIT_SIGN_IN,
          ),
        )
        return new Response('You were not signed in. You can close this page.')
      }
      resolve(code)
      return new Response('You are signed in. You can close this page.')
    },
  })
  const timer = setTimeout(
    () => reject(new ClientFailure('nobody answered within five minutes', EXIT_SIGN_IN)),
    WAIT_MS,
  )
  return {
    redirectUri: `http://127.0.0.1:${server.port}/callback`,
    code: () =>
      promise.finally(() => {
        clearTimeout(timer)
        void server.stop()
      }),
  }
}

/** By an argument vector: a shell would obey what a server has put into an address (CVE-2025-6514). */
export function openPage(url: string): void {
  const [program, ...words] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  if (program === undefined) return
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true })
  // The address is on the screen too.
  child.on('error', () => undefined)
  child.unref()
}

export async function logout(options: { readonly portal?: string }): Promise<void> {
  const credentials = openCredentials(process.env)
  const named = options.portal ?? process.env['PORTICO_URL'] ?? credentials.portals()[0]
  if (named === undefined) return line('You are signed in nowhere.')
  const portal = portalOrigin(named)
  await credentials.alone(async () => {
    const credential = await credentials.read(portal)
    if (credential !== undefined) await revoke(portal, credential.refreshToken)
    await credentials.erase(portal)
  })
  line(`Signed out of ${portal}`)
}

export async function whoami(options: { readonly portal?: string }): Promise<void> {
  const connection = connect(options)
  const { name, subject, teams, platform } = await connection.read<{
    readonly name: string
    readonly subject: string
    readonly teams: readonly string[]
    readonly platform: boolean
  }>('/api/v1/auth/session')
  const groups = [...(platform ? ['the platform team'] : []), ...teams].join(', ')
  line(`${name} (${subject}) at ${connection.portal}${groups === '' ? '' : `, in ${groups}`}`)
}
