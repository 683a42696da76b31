import { createHash } from 'node:crypto'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { SessionOwner } from '../../../ports/database/sessions.ts'
import type { UsedTokenStore } from '../../../ports/database/used-tokens.ts'
import type {
  IdentityFailure,
  IdentityProvider,
  LogoutNotice,
  LogoutTokenFailure,
} from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Audit, RequestFacts } from '../../audit/audit.ts'
import type { FailedAttempts } from '../../limits/failed-attempts.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'

export type SignOutEvent =
  | {
      readonly kind: 'logout_url_missing' | 'refresh_token_not_revoked'
      readonly failure: IdentityFailure
    }
  /** For the operator: the answer to the provider has no reason. */
  | {
      readonly kind: 'logout_token_not_obeyed'
      readonly failure: LogoutTokenFailure | DatabaseFailure
      readonly requestId: string
    }

export interface SignOutOptions {
  readonly identity: Pick<IdentityProvider, 'logoutUrl' | 'readLogoutToken' | 'revoke'>
  readonly sessions: Pick<Sessions, 'end' | 'endPerson'>
  readonly usedTokens: Pick<UsedTokenStore, 'isUsed' | 'use'>
  readonly audit: Pick<Audit, 'record'>
  /** Whether a logout at the provider ends what the person granted to programs. */
  readonly endsGrants: boolean
  /** Records logout tokens that are not obeyed, and limits their rows by address. */
  readonly failures: FailedAttempts
  readonly log: (event: SignOutEvent) => void
}

/** A person waits for the answer; the address is known unless this process has just started. */
const LOGOUT_URL_WAIT_MS = 1_000

export type SignOuts = ReturnType<typeof createSignOuts>

export function createSignOuts(options: SignOutOptions) {
  const { identity, sessions, usedTokens, audit, endsGrants, failures, log } = options
  async function revoke(refreshToken: string): Promise<void> {
    const revoked = await identity.revoke(refreshToken)
    if (!revoked.ok) log({ kind: 'refresh_token_not_revoked', failure: revoked.error })
  }

  async function knownLogoutUrl(idToken: string): Promise<string | null> {
    const url = await identity.logoutUrl(idToken)
    if (url.ok) return url.value
    log({ kind: 'logout_url_missing', failure: url.error })
    return null
  }

  /** `null` when the provider has to be asked for it and takes too long. */
  function logoutUrl(idToken: string): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), LOGOUT_URL_WAIT_MS)
    return Promise.race([knownLogoutUrl(idToken), promise]).finally(() => clearTimeout(timer))
  }

  async function endNamed(
    logoutToken: string,
    request: RequestFacts,
  ): Promise<Result<void, LogoutTokenFailure | DatabaseFailure>> {
    const read = await identity.readLogoutToken(logoutToken)
    if (!read.ok) return read
    const notice = read.value
    const id = idOf(notice)
    const used = await usedTokens.isUsed(id)
    if (!used.ok) return used
    if (used.value) return REPLAYED
    const ended = await sessions.endPerson({
      ...ownerOf(notice),
      ...(!endsGrants && { only: 'browser' }),
    })
    if (!ended.ok) return ended
    if (ended.value > 0) {
      // The actor is the provider, not a person.
      const details = { subject: notice.subject, sessions: ended.value }
      await audit.record(null, { ...entryOf('session.ended_by_provider', request), details })
    }
    const marked = await usedTokens.use(id, notice.expiresAt)
    if (!marked.ok) return marked
    return marked.value ? ok(undefined) : REPLAYED
  }

  return {
    /** Ends a session, even while the provider is away. Answers the provider's page that ends its own session, if it has one. */
    async signOut(
      { principal, tokens }: Session,
      token: string,
      request: RequestFacts,
    ): Promise<Result<{ readonly logoutUrl: string | null }, DatabaseFailure>> {
      const ended = await sessions.end(token)
      if (!ended.ok) return ended
      // The session has ended, whether or not its row can be written.
      await audit.record(principal, entryOf('session.sign_out', request))
      if (tokens === null) return ok({ logoutUrl: null })
      // In the background: the person has signed out, and a provider that is away must not hold them up.
      if (tokens.refreshToken !== null) void revoke(tokens.refreshToken)
      return ok({ logoutUrl: await logoutUrl(tokens.idToken) })
    },

    /**
     * Ends the sessions that a logout token of the provider names (OpenID Connect Back-Channel Logout 1.0). A token counts as used
     * only when its sessions have ended, so that the provider may repeat one that failed.
     */
    async endByProvider(logoutToken: string, request: RequestFacts) {
      const ended = await endNamed(logoutToken, request)
      if (ended.ok) return ended
      const { error: failure } = ended
      log({ kind: 'logout_token_not_obeyed', failure, requestId: request.requestId })
      if (failure.kind !== 'database_unavailable') {
        const { requestId, address } = request
        const result = failure.kind === 'logout_token_invalid' ? 'denied' : 'failed'
        // Beyond the limit too the provider gets the answer that its specification has.
        await failures.failed({ requestId, address, result, code: failure.kind })
      }
      return ended
    },
  }
}

const REPLAYED = err({ kind: 'logout_token_invalid', reason: 'replayed' } as const)

const idOf = ({ issuer, tokenId }: LogoutNotice): string =>
  `logout/${createHash('sha256').update(`${issuer}\n${tokenId}`).digest('hex')}`

/** A token that names both a session and a person ends the session only if it is that person's. */
function ownerOf({ issuer, subject, sid }: LogoutNotice): SessionOwner {
  if (sid !== null) return { kind: 'sign_in', issuer, sid, subject }
  if (subject !== null) return { kind: 'person', issuer, subject }
  throw new Error('a logout token names a session or a person')
}

const entryOf = (action: string, { requestId, address }: RequestFacts) =>
  ({ action, target: 'session', result: 'done', requestId, address }) as const
