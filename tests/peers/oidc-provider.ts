import { join } from 'node:path'
import {
  CLIENT,
  type OidcPerson,
  type OidcServerOptions,
  startOidcServer,
} from './oidc-provider-server.ts'

export { CLIENT, type OidcPerson } from './oidc-provider-server.ts'

export const ada = {
  sub: 'ada',
  name: 'Ada',
  email: 'ada@example.org',
  groups: ['payments'],
} satisfies OidcPerson

export interface OidcPeerOptions extends Partial<OidcServerOptions> {
  /** CA of the peer's own certificate. */
  readonly ca?: string
}

/** The certified provider and what a test can do to it. */
export interface OidcPeer extends AsyncDisposable {
  readonly issuer: string
  /** Settings of a portal that signs in here. */
  readonly settings: Readonly<Record<string, string>>
  /**
   * Signs the person in at the page that an authorization URL leads to, as a browser would. Answers the URL of the portal that the
   * provider leads back to. An unknown person refuses (`access_denied`).
   */
  authorize(url: string, sub?: string): Promise<URL>
  /** From now on the claim `groups` of the person is this. */
  setGroups(sub: string, groups: unknown): Promise<void>
  /** Removes the person: refresh tokens and UserInfo are refused. */
  disable(sub: string): Promise<void>
  /** Revokes every token of the person; they can sign in again. */
  revoke(sub: string): Promise<void>
  /** From now on another key signs, and the old one is not published any more. */
  rotateKeys(): Promise<void>
  /** Requests are not answered any more. */
  hang(): Promise<void>
  /** Every request is answered with this status and an HTML page. */
  fail(status: number): Promise<void>
  /** Ends `hang` and `fail`. */
  recover(): Promise<void>
  /** Sends logout tokens: one per session of the person, or a single one that names the subject alone. Answers which got a 200. */
  logout(sub: string, by?: 'sid' | 'sub'): Promise<readonly boolean[]>
  /** Milliseconds that the provider took for its answers since the last call. */
  spent(): Promise<number>
  /** Moves the clock of a provider in another process. */
  pass(ms: number): Promise<void>
}

const DEFAULTS: OidcServerOptions = {
  people: [ada],
  groupsIn: 'id_token',
  publicUrl: 'https://portal.example.org',
  authentication: 'client_secret_basic',
  clientKey: null,
  refreshTokens: true,
  backchannelLogout: null,
  portalCa: null,
  host: '127.0.0.1',
  port: 0,
  tls: null,
  accessTokenSeconds: 3_600,
  idTokenSeconds: 3_600,
}

/** Starts the provider in this process. */
export async function startOidcPeer({ ca, ...options }: OidcPeerOptions = {}): Promise<OidcPeer> {
  const server = await startOidcServer({ ...DEFAULTS, ...options })
  return peerAt(server.issuer, ca, () => server.close())
}

/** Starts the provider in a process of its own. */
export async function spawnOidcPeer({ ca, ...options }: OidcPeerOptions = {}): Promise<OidcPeer> {
  const program = join(import.meta.dir, 'oidc-provider-process.ts')
  const child = Bun.spawn(
    [process.execPath, program, JSON.stringify({ ...DEFAULTS, ...options })],
    { stdout: 'pipe', stderr: 'ignore' },
  )
  const issuer = await firstLine(child.stdout)
  return peerAt(issuer, ca, async () => {
    child.kill('SIGKILL')
    await child.exited
  })
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    if (text.includes('\n')) return text.trim()
  }
  throw new Error('the provider did not start')
}

const REDIRECTS_MAX = 10

function peerAt(issuer: string, ca: string | undefined, close: () => Promise<void>): OidcPeer {
  const ask = (url: string | URL, init: RequestInit = {}) =>
    fetch(url, { ...init, redirect: 'manual', ...(ca !== undefined && { tls: { ca } }) })

  async function flip(name: string, fields: Record<string, string> = {}): Promise<unknown> {
    const response = await ask(`${issuer}/-/${name}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    if (response.status !== 200) throw new Error(await response.text())
    return await response.json()
  }

  return {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
    },
    async authorize(start, sub = ada.sub) {
      const cookies = new Map<string, string>()
      let url = new URL(start)
      for (let hops = 0; hops < REDIRECTS_MAX; hops++) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
        const isSignIn = url.pathname.startsWith('/sign-in/')
        const response = await ask(url, {
          headers: { cookie },
          ...(isSignIn && { method: 'POST', body: new URLSearchParams({ sub }) }),
        })
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${response.status} ${await response.text()}`)
        url = new URL(location, url)
        if (url.origin !== new URL(issuer).origin) return url
      }
      throw new Error('the provider redirects without end')
    },
    setGroups: async (sub, groups) =>
      void (await flip('groups', { sub, groups: JSON.stringify(groups) ?? 'null' })),
    disable: async (sub) => void (await flip('disable', { sub })),
    revoke: async (sub) => void (await flip('revoke', { sub })),
    rotateKeys: async () => void (await flip('rotate-keys')),
    hang: async () => void (await flip('trouble', { kind: 'hang' })),
    fail: async (status) => void (await flip('trouble', { kind: String(status) })),
    recover: async () => void (await flip('trouble')),
    logout: async (sub, by = 'sid') => (await flip('logout', { sub, by })) as readonly boolean[],
    spent: async () => (await flip('spent')) as number,
    pass: async (ms) => void (await flip('pass', { ms: String(ms) })),
    [Symbol.asyncDispose]: close,
  }
}
