import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Context, Provider } from 'oidc-provider'
import { listenOn } from '#tests/support/listen-on.ts'

/** A person who can sign in at the peer. */
export interface OidcPerson {
  readonly sub: string
  readonly name: string
  readonly email: string
  /** Whatever the claim `groups` shall be; left out when undefined. */
  readonly groups?: unknown
  /** Authentication context class of the person's sign-ins. */
  readonly acr?: string
}

export type ClientAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

export interface OidcServerOptions {
  readonly people: readonly OidcPerson[]
  readonly groupsIn: 'id_token' | 'userinfo'
  /** URL of the portal: its callback and the page after sign-out are registered for the client. */
  readonly publicUrl: string
  readonly authentication: ClientAuthentication
  /** Public key of a client that authenticates by `private_key_jwt`. */
  readonly clientKey: JWK | null
  readonly refreshTokens: boolean
  /** Where logout tokens are sent. */
  readonly backchannelLogout: string | null
  /** CA of the portal for `backchannelLogout`. */
  readonly portalCa: string | null
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly accessTokenSeconds: number
  readonly idTokenSeconds: number
}

export const CLIENT = { id: 'portico', secret: 'client-secret' }

const HOUR_SECONDS = 3_600
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const SIGN_IN = '/sign-in/'
/** Switches of the peer, for tests alone. */
const SWITCHES = '/-/'
const COOKIE_KEY = 'cookie-key-of-the-peer'

interface PeerSession {
  readonly sub: string
  /** The session has an id for the client only after the authorization. */
  readonly sid: () => string
}

interface PeerState {
  people: OidcPerson[]
  grants: { readonly sub: string; readonly id: string }[]
  sessions: PeerSession[]
  /** What every request gets instead of an answer. */
  trouble: 'hang' | number | null
  keys: number
  /** Time between requests and the ends of their responses, in milliseconds. */
  spentMs: number
  readonly rows: Map<string, Payload>
}

/** What the provider stores of a model. */
interface Payload {
  uid?: string
  grantId?: string
  consumed?: number
}

/** Starts the certified provider (oidc-provider) on a socket, with a page to sign in and switches under `/-/`. */
export async function startOidcServer(options: OidcServerOptions) {
  const state: PeerState = {
    people: [...options.people],
    grants: [],
    sessions: [],
    trouble: null,
    keys: 0,
    spentMs: 0,
    rows: new Map(),
  }
  const server = options.tls === null ? createServer() : createTlsServer(options.tls)
  const port = await listenOn(server, listenAddress(options), options.port)
  const scheme = options.tls === null ? 'http' : 'https'
  const issuer = `${scheme}://${options.host}:${port}`
  let provider = await quietly(() => create(issuer, options, state))
  let callback = provider.callback()

  const switches: Readonly<Record<string, (fields: URLSearchParams) => unknown>> = {
    groups: (fields) => {
      const sub = fields.get('sub')
      const groups: unknown = JSON.parse(fields.get('groups') ?? 'null')
      state.people = state.people.map((one) => (one.sub === sub ? { ...one, groups } : one))
    },
    disable: (fields) => {
      state.people = state.people.filter(({ sub }) => sub !== fields.get('sub'))
    },
    revoke: (fields) => {
      const ids = state.grants.filter(({ sub }) => sub === fields.get('sub'))
      return Promise.all(
        ids.flatMap(({ id }) => [
          provider.AccessToken.revokeByGrantId(id),
          provider.RefreshToken.revokeByGrantId(id),
        ]),
      )
    },
    'rotate-keys': async () => {
      state.keys += 1
      provider = await quietly(() => create(issuer, options, state))
      callback = provider.callback()
    },
    trouble: (fields) => {
      const trouble = fields.get('kind') ?? ''
      if (trouble === 'hang') state.trouble = 'hang'
      else state.trouble = trouble === '' ? null : Number(trouble)
    },
    logout: async (fields) => {
      const client = await provider.Client.find(CLIENT.id)
      const sub = fields.get('sub') ?? ''
      if (client === undefined) throw new Error('no client')
      client.backchannelLogoutSessionRequired = fields.get('by') === 'sid'
      const ended = state.sessions.filter((session) => session.sub === sub)
      const sent = fields.get('by') === 'sid' ? ended : [{ sub, sid: () => '' }]
      const outcomes = await Promise.allSettled(
        sent.map(({ sid }) => client.backchannelLogout(sub, sid())),
      )
      client.backchannelLogoutSessionRequired = true
      return outcomes.map(({ status }) => status === 'fulfilled')
    },
    spent: () => {
      const { spentMs } = state
      state.spentMs = 0
      return spentMs
    },
    pass: (fields) => {
      const { now } = Date
      const passedMs = Number(fields.get('ms'))
      Date.now = () => now() + passedMs
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer)
    if (pathname.startsWith(SWITCHES)) {
      const done = await switches[pathname.slice(SWITCHES.length)]?.(await formOf(request))
      response.end(JSON.stringify(done ?? null))
    } else if (state.trouble === 'hang') {
      return
    } else if (state.trouble !== null) {
      response.writeHead(state.trouble, { 'content-type': 'text/html' })
      response.end('<h1>Out of order</h1>')
    } else if (!pathname.startsWith(SIGN_IN)) {
      callback(request, response)
    } else if (request.method === 'POST') {
      const sub = (await formOf(request)).get('sub')
      const person = state.people.find((one) => one.sub === sub)
      const result =
        person === undefined
          ? { error: 'access_denied', error_description: 'the person went back' }
          : {
              login: { accountId: person.sub, ...(person.acr && { acr: person.acr }) },
              consent: {},
            }
      await provider.interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      })
    } else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(signInPage(state.people))
    }
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now()
    const isCounted = request.url?.startsWith(SWITCHES) !== true
    response.once('finish', () => {
      if (isCounted) state.spentMs += performance.now() - startedAt
    })
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500)
      response.end(String(error))
    })
  })

  return {
    issuer,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const listenAddress = ({ host }: OidcServerOptions) => (host === 'localhost' ? undefined : host)

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

/** One button per person, and one to refuse. The form posts to the URL of the page. */
const signInPage = (people: readonly OidcPerson[]) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sign in at the peer</title>
<h1>Who are you?</h1>
<form method="post">
${people.map(({ sub, name }) => `<button name="sub" value="${sub}">${name}</button>`).join('\n')}
<button name="sub" value="">Cancel</button>
</form></html>`

/** Certified by the OpenID Foundation. Refresh tokens are used once; tokens can be exchanged for those of any audience. */
async function create(
  issuer: string,
  options: OidcServerOptions,
  state: PeerState,
): Promise<Provider> {
  const { Provider } = await import('oidc-provider')
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = `k${state.keys}`
  const { publicUrl, authentication } = options
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: CLIENT.id,
        ...(authentication.startsWith('client_secret') && { client_secret: CLIENT.secret }),
        ...(options.clientKey !== null && {
          jwks: { keys: [options.clientKey] },
          token_endpoint_auth_signing_alg: options.clientKey.alg,
        }),
        token_endpoint_auth_method: authentication,
        redirect_uris: [new URL('/api/v1/auth/callback', publicUrl).href],
        post_logout_redirect_uris: [new URL('/', publicUrl).href],
        grant_types: ['authorization_code', 'refresh_token', EXCHANGE],
        id_token_signed_response_alg: 'ES256',
        ...(options.backchannelLogout !== null && {
          backchannel_logout_uri: options.backchannelLogout,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'groups'],
      email: ['email'],
      groups: ['groups'],
    },
    adapter: adapterOf(state.rows),
    acrValues: ['pwd', 'mfa'],
    conformIdTokenClaims: options.groupsIn === 'userinfo',
    rotateRefreshToken: true,
    issueRefreshToken: () => options.refreshTokens,
    expiresWithSession: () => false,
    pkce: { required: () => true },
    cookies: { keys: [COOKIE_KEY] },
    ttl: {
      AccessToken: options.accessTokenSeconds,
      IdToken: options.idTokenSeconds,
      RefreshToken: 10 * HOUR_SECONDS,
      Grant: 24 * HOUR_SECONDS,
      Session: 24 * HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      AuthorizationCode: 60,
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${SIGN_IN}${uid}` },
    fetch: (url: string, init: RequestInit) =>
      fetch(url, { ...init, ...(options.portalCa && { tls: { ca: options.portalCa } }) }),
    /** Everything asked for is granted, without a page. */
    async loadExistingGrant(context: Context) {
      const { client, session, params } = context.oidc
      const grant = new provider.Grant({
        accountId: session.accountId,
        clientId: client.clientId,
      })
      grant.addOIDCScope(params['scope'] ?? '')
      const id = await grant.save()
      state.grants.push({ sub: session.accountId, id })
      state.sessions.push({ sub: session.accountId, sid: () => session.sidFor(client.clientId) })
      return grant
    },
    findAccount(_: unknown, accountId: string) {
      const person = state.people.find(({ sub }) => sub === accountId)
      if (person === undefined) return undefined
      const { acr: _acr, ...claims } = person
      return { accountId, claims: () => claims }
    },
  })
  registerExchange(provider)
  return provider
}

/** Keeps what the provider knows for as long as the peer lives, also when its keys change. It checks times itself. */
const adapterOf = (rows: Map<string, Payload>) => (model: string) => {
  const keyOf = (id: string) => `${model}:${id}`
  return {
    upsert: async (id: string, payload: Payload) => void rows.set(keyOf(id), payload),
    find: async (id: string) => rows.get(keyOf(id)),
    findByUid: async (uid: string) =>
      [...rows].find(([key, row]) => key.startsWith(keyOf('')) && row.uid === uid)?.[1],
    async consume(id: string) {
      const row = rows.get(keyOf(id))
      if (row !== undefined) row.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async (id: string) => void rows.delete(keyOf(id)),
    async revokeByGrantId(grantId: string) {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key)
    },
  }
}

/** RFC 8693, which the package leaves to those who use it. */
function registerExchange(provider: Provider) {
  const parameters = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience']
  async function exchange(context: Context) {
    const { params, client } = context.oidc
    const subject = await provider.AccessToken.find(params['subject_token'])
    const { audience = '' } = params
    if (subject === undefined) {
      context.status = 400
      context.body = { error: 'invalid_grant' }
      return
    }
    const { accountId, grantId } = subject
    const expiresIn = HOUR_SECONDS / 2
    const token = new provider.AccessToken({ accountId, grantId, client, scope: '', expiresIn })
    token.resourceServer = new provider.ResourceServer(audience, {
      audience,
      scope: '',
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    })
    context.oidc.entity('AccessToken', token)
    context.body = {
      access_token: await token.save(),
      issued_token_type: params['requested_token_type'],
      token_type: 'Bearer',
      expires_in: expiresIn,
    }
  }
  provider.registerGrantType(EXCHANGE, exchange, parameters)
}

/** It says that it was made for Node.js and keeps what it knows in memory. Both are as they should be here. */
async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const { warn, info } = console
  console.warn = () => {}
  console.info = () => {}
  try {
    return await work()
  } finally {
    console.warn = warn
    console.info = info
  }
}
