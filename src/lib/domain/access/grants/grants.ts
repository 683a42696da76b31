import { createHash } from 'node:crypto'
import type { Clock } from '../../../ports/clock.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { GrantTokenStore, GrantTokenRow } from '../../../ports/database/grant-tokens.ts'
import type { UsedTokenStore } from '../../../ports/database/used-tokens.ts'
import type { IdentityProvider, Principal, SignIn } from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Audit, RequestFacts } from '../../audit/audit.ts'
import { onRecord } from '../../audit/decision.ts'
import type { SessionClaims } from '../sessions/session-credentials.ts'
import { hashOfToken } from '../sessions/session-token.ts'
import {
  GRANT_IDLE_MS,
  GRANT_MAX_MS,
  type ListedGrant,
  type NewGrant,
  type Session,
  type Sessions,
} from '../sessions/sessions.ts'
import {
  type Authorization,
  type AuthorizationFailure,
  type OAuthError,
  readAuthorization,
} from './authorization.ts'
import type { ClientFailure, GrantClient } from './clients.ts'
import type { Consent, Consents, PendingGrant } from './consent.ts'
import type { Grant } from './grant.ts'
import {
  type GrantTokenKind,
  familyIn,
  grantIdIn,
  grantIdOf,
  isGrantToken,
  newFamily,
  newGrantToken,
} from './grant-token.ts'

/** A refusal for the client. */
export interface OAuthFailure {
  readonly kind: 'oauth'
  readonly error: OAuthError
}

export type GrantNotFound = { readonly kind: 'grant_not_found' }

export interface IssuedTokens {
  readonly accessToken: string
  /** `null` for a workload, which has another token of its own in its next job. */
  readonly refreshToken: string | null
  readonly expiresInSeconds: number
  readonly grant: Grant
}

type Answer<Value> = Promise<Result<Value, OAuthFailure | DatabaseFailure>>

export interface GrantsOptions {
  readonly sessions: Pick<Sessions, 'openGrant' | 'listGrants' | 'reread' | 'endOwn'>
  readonly tokens: GrantTokenStore
  readonly usedTokens: Pick<UsedTokenStore, 'use'>
  readonly consents: Consents
  readonly claims: SessionClaims
  readonly identity: Pick<IdentityProvider, 'revoke'>
  readonly audit: Pick<Audit, 'record' | 'decide'>
  readonly clock: Clock
  readonly findClient: (id: string) => Promise<Result<GrantClient, ClientFailure>>
  /** `iss` of our answers (RFC 9207). */
  readonly issuer: string
  /** Services that tokens can be for. */
  readonly resources: readonly string[]
}

const CODE_MS = 60_000
const ACCESS_TOKEN_MS = 10 * 60_000
/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

export type Grants = ReturnType<typeof createGrants>

/**
 * Grants: people allow programs to act for them. Portico is an OAuth 2.1 authorization server for its own API: the person signs in at the
 * identity provider, and each grant has tokens of its own there. A grant is a session of another kind.
 */
export function createGrants(options: GrantsOptions) {
  const {
    sessions,
    tokens,
    usedTokens,
    consents,
    claims,
    identity,
    audit,
    clock,
    findClient,
    issuer,
    resources,
  } = options
  const locationOf = (
    { redirectUri, state }: { readonly redirectUri: string; readonly state: string | null },
    answer: { readonly code: string } | { readonly error: OAuthError },
  ): string => {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value)
    if (state !== null) url.searchParams.set('state', state)
    url.searchParams.set('iss', issuer)
    return url.href
  }

  const refusalOf = (
    { grant: { redirectUri }, state }: Pick<Consent, 'grant' | 'state'>,
    error: OAuthError,
  ): string => locationOf({ redirectUri, state }, { error })

  /** The session of a grant; `undefined` when it has ended. */
  async function active(idHash: string): Promise<Result<Session | undefined, DatabaseFailure>> {
    const found = await sessions.reread({ idHash })
    if (found.kind === 'unavailable') return UNAVAILABLE
    return ok(found.kind === 'active' && found.session.grant !== null ? found.session : undefined)
  }

  /** Ends a grant, here and at the identity provider. */
  async function end(
    { idHash, principal, tokens: held }: Session,
    action: 'grant.end' | 'grant.ended_by_reuse',
    request: RequestFacts,
    details: Readonly<Record<string, string>> = {},
  ): Promise<Result<void, DatabaseFailure>> {
    const ended = await sessions.endOwn(principal, idHash)
    if (!ended.ok) return ended
    if (!ended.value) return ok(undefined)
    // In the background: the grant has ended, and a provider that is away must not hold it up.
    if (held?.refreshToken != null) void identity.revoke(held.refreshToken)
    const target = `grant/${idHash}`
    await audit.record(principal, { ...factsOf(request), action, target, result: 'done', details })
    return ok(undefined)
  }

  /** A token that was used before has been copied: nobody can tell the thief from the program, so both lose the grant. */
  async function endCopied(token: string, request: RequestFacts): Answer<never> {
    const found = await active(grantIdIn(token))
    if (!found.ok) return found
    if (found.value === undefined) return INVALID_GRANT
    const ended = await end(found.value, 'grant.ended_by_reuse', request)
    return ended.ok ? INVALID_GRANT : ended
  }

  /** The grant of a code or refresh token that was not used before. */
  async function held(kind: GrantTokenKind, token: string, request: RequestFacts): Answer<Session> {
    if (!isGrantToken(kind, token)) return INVALID_GRANT
    const found = await tokens.find(hashOfToken(token))
    if (!found.ok) return found
    const row = found.value
    if (row === null) return endCopied(token, request)
    if (row.kind !== kind || clock.now() >= row.expiresAt) return INVALID_GRANT
    const session = await active(row.grantId)
    if (!session.ok) return session
    return session.value === undefined ? INVALID_GRANT : ok(session.value)
  }

  /** New tokens in the place of a code or a refresh token. */
  async function issue(
    { idHash, grant, expiresAt }: Session,
    family: string,
    used: string,
    request: RequestFacts,
  ): Answer<IssuedTokens> {
    if (grant === null) return INVALID_GRANT
    const now = clock.now()
    const accessToken = newGrantToken('access')
    const refreshToken = newGrantToken('refresh', family)
    const issued = await tokens.issue(
      idHash,
      [
        {
          hash: hashOfToken(accessToken),
          kind: 'access',
          expiresAt: Math.min(now + ACCESS_TOKEN_MS, expiresAt),
        },
        {
          hash: hashOfToken(refreshToken),
          kind: 'refresh',
          expiresAt: Math.min(now + GRANT_IDLE_MS, expiresAt),
        },
      ],
      { hash: hashOfToken(used), at: now },
    )
    if (!issued.ok) return issued
    if (!issued.value) return endCopied(used, request)
    return ok({ accessToken, refreshToken, expiresInSeconds: ACCESS_TOKEN_MS / 1000, grant })
  }

  /** Opens a grant with its first token. The audit row comes first. */
  async function openOnRecord(
    granted: NewGrant,
    first: Pick<GrantTokenRow, 'hash' | 'kind' | 'expiresAt'>,
    request: RequestFacts,
  ): Promise<Result<void, DatabaseFailure>> {
    const { clientId: client, scopes, teams, redirectUri } = granted.grant
    const id = grantIdOf(granted.family)
    const entry = {
      ...factsOf(request),
      action: 'grant.open',
      target: `grant/${id}`,
      details: { client, scopes, teams, ...(redirectUri !== '' && { redirectUri }) },
    }
    const opened = await onRecord(audit.decide(granted.principal), entry, async () => {
      const made = await sessions.openGrant(granted)
      return made.ok ? tokens.issue(id, [first]) : made
    })
    return opened.ok ? ok(undefined) : opened
  }

  return {
    read: (query: URLSearchParams): Promise<Result<Authorization, AuthorizationFailure>> =>
      readAuthorization(query, findClient, resources),

    /** The URL at which the browser takes a refusal to the client. */
    refusal: ({ redirectUri, state, error }: InvalidAuthorization): string =>
      locationOf({ redirectUri, state }, { error }),

    refusalOf,

    /**
     * Takes the answer of the consent page. `grant`: with what the person chose; `null` when they refused. `undefined` for a consent that
     * is another session's, too old, or was answered before.
     */
    async answer(
      text: string,
      session: Session,
      choice: { readonly teams: readonly string[] | null } | 'refuse',
    ): Promise<Result<PendingGrant | { readonly location: string } | undefined, DatabaseFailure>> {
      const consent = consents.open(text, session)
      if (consent === undefined) return ok(undefined)
      const used = await usedTokens.use(`consent/${consent.id}`, consent.expiresAt)
      if (!used.ok) return used
      if (!used.value) return ok(undefined)
      if (choice === 'refuse') return ok({ location: refusalOf(consent, 'access_denied') })
      const { issuer: at, subject } = session.principal
      const teams = choice.teams === null ? null : [...choice.teams]
      return ok({
        grant: { ...consent.grant, teams },
        state: consent.state,
        session: session.idHash,
        issuer: at,
        subject,
        sessionEndsAt: session.expiresAt,
      })
    },

    /** Opens an allowed grant with the tokens of its own. Answers where the browser takes the code. */
    async open(
      { grant, state, session, sessionEndsAt }: PendingGrant,
      { principal, sid, tokens: held }: SignIn,
      request: RequestFacts,
    ): Promise<Result<string, DatabaseFailure>> {
      const family = newFamily()
      const now = clock.now()
      const code = newGrantToken('code', family)
      // Without a refresh token the provider cannot be asked later whether the person may still do this.
      const isLasting = held.refreshToken !== null
      const opened = await openOnRecord(
        {
          principal,
          sid,
          tokens: held,
          address: request.address,
          grant: isLasting ? grant : { ...grant, session },
          family,
          unusedUntil: now + CODE_MS,
          expiresAt: isLasting ? now + GRANT_MAX_MS : sessionEndsAt,
        },
        { hash: hashOfToken(code), kind: 'code', expiresAt: now + CODE_MS },
        request,
      )
      return opened.ok
        ? ok(locationOf({ redirectUri: grant.redirectUri, state }, { code }))
        : opened
    },

    /** Opens the grant of a job that a rule lets in. It ends at a time, and has one access token. */
    async openForWorkload(
      {
        principal,
        grant,
        lastsMs,
      }: {
        readonly principal: Principal
        readonly grant: Grant
        readonly lastsMs: number
      },
      request: RequestFacts,
    ): Promise<Result<IssuedTokens, DatabaseFailure>> {
      const accessToken = newGrantToken('access')
      const expiresAt = clock.now() + lastsMs
      const opened = await openOnRecord(
        {
          principal,
          sid: null,
          tokens: null,
          address: request.address,
          grant,
          family: newFamily(),
          unusedUntil: expiresAt,
          expiresAt,
        },
        { hash: hashOfToken(accessToken), kind: 'access', expiresAt },
        request,
      )
      if (!opened.ok) return opened
      return ok({ accessToken, refreshToken: null, expiresInSeconds: lastsMs / 1000, grant })
    },

    /** Exchanges a code (RFC 6749 §4.1.3). What does not fit the code ends the grant: somebody else presents it. */
    async exchange(
      given: {
        readonly code: string
        readonly clientId: string
        readonly redirectUri: string
        readonly codeVerifier: string
        readonly resource: string | null
      },
      request: RequestFacts,
    ): Answer<IssuedTokens> {
      const found = await held('code', given.code, request)
      if (!found.ok) return found
      const { grant } = found.value
      const isBound =
        grant !== null &&
        grant.clientId === given.clientId &&
        grant.redirectUri === given.redirectUri &&
        VERIFIER.test(given.codeVerifier) &&
        grant.codeChallenge === challengeOf(given.codeVerifier)
      if (!isBound) return endCopied(given.code, request)
      if ((given.resource ?? grant.resource) !== grant.resource) return INVALID_TARGET
      return issue(found.value, familyIn(given.code), given.code, request)
    },

    /** Renews tokens (RFC 6749 §6). A refresh token is used once. */
    async refresh(
      given: {
        readonly refreshToken: string
        readonly clientId: string
        readonly resource: string | null
      },
      request: RequestFacts,
    ): Answer<IssuedTokens> {
      const { refreshToken } = given
      const found = await held('refresh', refreshToken, request)
      if (!found.ok) return found
      const { grant } = found.value
      if (grant?.clientId !== given.clientId) return endCopied(refreshToken, request)
      if ((given.resource ?? grant.resource) !== grant.resource) return INVALID_TARGET
      const recent = await claims.recent(found.value, request)
      if (!recent.ok && recent.error.kind === 'identity_rejected') return INVALID_GRANT
      return issue(found.value, familyIn(refreshToken), refreshToken, request)
    },

    /** Ends the grant of a token (RFC 7009). Whoever has the token may do it; an unknown token is none. */
    async revoke(token: string, request: RequestFacts): Promise<Result<void, DatabaseFailure>> {
      const found = await tokens.find(hashOfToken(token))
      if (!found.ok) return found
      const isSpent = found.value === null && isGrantToken('refresh', token)
      const id = isSpent ? grantIdIn(token) : found.value?.grantId
      const session = id === undefined ? ok(undefined) : await active(id)
      if (!session.ok) return session
      if (session.value === undefined) return ok(undefined)
      return end(session.value, 'grant.end', request)
    },

    /** The person's own, newest first. */
    list: (person: Principal): Promise<Result<readonly ListedGrant[], DatabaseFailure>> =>
      sessions.listGrants(person),

    /** Ends one of the person's grants, or with `null` all, and answers their number. */
    async endOwn(
      { principal }: Session,
      id: string | null,
      request: RequestFacts,
    ): Promise<Result<number, GrantNotFound | DatabaseFailure>> {
      const listed = await sessions.listGrants(principal)
      if (!listed.ok) return listed
      const meant = listed.value.filter(({ idHash }) => id === null || idHash === id)
      if (id !== null && meant.length === 0) return err({ kind: 'grant_not_found' })
      for (const { idHash } of meant) {
        const found = await active(idHash)
        if (!found.ok) return found
        if (found.value === undefined) continue
        const client = found.value.grant?.clientId ?? ''
        const own = { ...found.value, principal }
        const ended = await end(own, 'grant.end', request, { client })
        if (!ended.ok) return ended
      }
      return ok(meant.length)
    },
  }
}

type InvalidAuthorization = Extract<AuthorizationFailure, { kind: 'authorization_invalid' }>

const factsOf = ({ requestId, address }: RequestFacts) => ({ requestId, address })

const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')

const INVALID_GRANT = err({ kind: 'oauth', error: 'invalid_grant' } as const)
const INVALID_TARGET = err({ kind: 'oauth', error: 'invalid_target' } as const)
const UNAVAILABLE = err({ kind: 'database_unavailable', reason: 'session store' } as const)
