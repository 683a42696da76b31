import { createHash } from 'node:crypto'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { UsedTokenStore } from '../../../ports/database/used-tokens.ts'
import type {
  IdentityFailure,
  IdentityProvider,
  SignIn,
  SignInFailure,
} from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { RequestFacts, Audit } from '../../audit/audit.ts'
import { onRecord } from '../../audit/decision.ts'
import { hasRepeated } from '../grants/authorization.ts'
import type { Grants } from '../grants/grants.ts'
import type { PendingGrant } from '../grants/consent.ts'
import { hashOfToken } from '../sessions/session-token.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { FailedAttempt, FailedAttempts } from '../../limits/failed-attempts.ts'
import type { RateLimited } from '../../limits/rate-limits.ts'
import type { ReturnTo } from './return-to.ts'
import type { PendingSignIn, TransactionCookies } from './transaction-cookie.ts'

/** A browser's request. */
export interface BrowserRequest extends RequestFacts {
  readonly userAgent: string | null
  /** The raw `Cookie` header. */
  readonly cookies: string | null
  /** Token of the active session. */
  readonly sessionToken: string | null
}

type BeginningBrowser = Pick<BrowserRequest, 'requestId' | 'address' | 'cookies'>

export interface BegunSignIn {
  /** The provider's page. */
  readonly url: string
  readonly setCookies: readonly string[]
}

export type CompletedSignIn = {
  /** Removes the cookie of the sign-in. */
  readonly setCookie: string
} & (
  | {
      readonly kind: 'session'
      readonly token: string
      readonly session: Session
      readonly returnTo: string
    }
  /** The browser takes the code of a grant to its program. */
  | { readonly kind: 'grant'; readonly location: string }
)

export interface FailedSignIn {
  readonly failure: SignInFailure | DatabaseFailure | RateLimited
  /** `return_to` of the sign-in; `null` for an unknown sign-in. */
  readonly returnTo: string | null
  readonly setCookie: string | null
  /** The address at which a program that waits for a grant hears of the refusal. */
  readonly location?: string
}

export type SignIns = ReturnType<typeof createSignIns>

export interface SignInEvent {
  readonly kind: 'sign_in_failed'
  readonly failure: SignInFailure | DatabaseFailure
  readonly requestId: string
}

export interface SignInOptions {
  readonly sessions: Pick<Sessions, 'open'>
  readonly audit: Pick<Audit, 'decide'>
  readonly identity: Pick<IdentityProvider, 'authorizationRequest' | 'signIn'>
  readonly usedTokens: Pick<UsedTokenStore, 'use'>
  readonly transactions: TransactionCookies
  readonly readReturnTo: ReturnTo
  readonly grants: Pick<Grants, 'open' | 'refusalOf'>
  /** Records failures, and limits them by address. */
  readonly failures: FailedAttempts
  readonly log: (event: SignInEvent) => void
}

const expired: SignInFailure = { kind: 'sign_in_expired' }
const invalid = (reason: string): SignInFailure => ({ kind: 'sign_in_invalid', reason })

/** Sign-in at an OpenID Connect provider: the browser goes there and comes back with a code. */
export function createSignIns(options: SignInOptions) {
  const { identity, transactions, readReturnTo, usedTokens, grants, failures, log } = options

  /** A second use of a state never reaches the provider, which would end the session of the first one. */
  async function claim({ transaction, expiresAt }: PendingSignIn) {
    const id = `sign-in/${createHash('sha256').update(transaction.state).digest('hex')}`
    const used = await usedTokens.use(id, expiresAt)
    if (!used.ok) return used
    return used.value ? ok(undefined) : err(expired)
  }

  async function beginAt(
    begun: Awaited<ReturnType<typeof identity.authorizationRequest>>,
    purpose: Pick<PendingSignIn, 'returnTo' | 'pendingGrant'>,
    { requestId, address, cookies }: BeginningBrowser,
  ): Promise<Result<BegunSignIn, { failure: IdentityFailure; returnTo: string }>> {
    if (!begun.ok) {
      log({ kind: 'sign_in_failed', failure: begun.error, requestId })
      await failures.failed({ address, requestId, ...rowOf(begun.error) })
      return err({ failure: begun.error, returnTo: purpose.returnTo })
    }
    const { url, transaction } = begun.value
    return ok({ url, setCookies: transactions.bind({ transaction, ...purpose }, cookies) })
  }

  /** The person must be the one who allowed it, in the session in which they did. */
  function openGrant(pending: PendingGrant, signedIn: SignIn, browser: BrowserRequest) {
    const { issuer, subject } = signedIn.principal
    const isSamePerson = issuer === pending.issuer && subject === pending.subject
    const { sessionToken } = browser
    const isSameSession = sessionToken !== null && hashOfToken(sessionToken) === pending.session
    if (!isSamePerson || !isSameSession) return err(invalid('another_person'))
    return grants.open(pending, signedIn, browser)
  }

  return {
    /** Begins a sign-in, which creates nothing here: its state is in a cookie. */
    async begin(given: string | null, browser: BeginningBrowser) {
      const returnTo = readReturnTo(given)
      return beginAt(await identity.authorizationRequest(), { returnTo }, browser)
    },

    /** Begins a second authorization, for tokens of a grant's own. */
    async beginGrant(pendingGrant: PendingGrant, browser: BeginningBrowser) {
      const purpose = { returnTo: '/', pendingGrant }
      return beginAt(await identity.authorizationRequest('grant'), purpose, browser)
    },

    /** Completes a sign-in with the query of the callback. Each sign-in can be completed once; the browser's session ends. */
    async complete(
      query: URLSearchParams,
      browser: BrowserRequest,
    ): Promise<Result<CompletedSignIn, FailedSignIn>> {
      const { requestId, address, cookies } = browser
      async function refuse(failure: SignInFailure | DatabaseFailure, rest = NOTHING_KNOWN) {
        log({ kind: 'sign_in_failed', failure, requestId })
        if (failure.kind === 'database_unavailable') return err({ failure, ...rest })
        const counted = await failures.failed({ address, requestId, ...rowOf(failure) })
        return err({ failure: counted.ok ? failure : counted.error, ...rest })
      }
      if (hasRepeated(query)) return refuse(invalid('repeated_parameter'))
      const state = query.get('state')
      if (state === null) return refuse(invalid('state_missing'))
      const pending = transactions.find(state, cookies)
      if (pending === undefined) return refuse(expired)
      const { returnTo, pendingGrant } = pending
      const setCookie = transactions.cleared(state)
      const claimed = await claim(pending)
      if (!claimed.ok) return refuse(claimed.error, { returnTo, setCookie })

      const signedIn = await identity.signIn(query, pending.transaction)
      if (pendingGrant !== undefined) {
        const opened = signedIn.ok
          ? await openGrant(pendingGrant, signedIn.value, browser)
          : signedIn
        if (opened.ok) return ok({ kind: 'grant', location: opened.value, setCookie })
        const reason = opened.error.kind === 'sign_in_refused' ? 'access_denied' : 'server_error'
        const location = grants.refusalOf(pendingGrant, reason)
        return refuse(opened.error, { returnTo, setCookie, location })
      }
      const opened = signedIn.ok ? await openOnRecord(options, signedIn.value, browser) : signedIn
      if (!opened.ok) return refuse(opened.error, { returnTo, setCookie })
      return ok({ kind: 'session', ...opened.value, returnTo, setCookie })
    },
  }
}

/** `failed`: the provider was away or a clock was wrong, so that nobody was judged. */
function rowOf(failure: SignInFailure): Pick<FailedAttempt, 'result' | 'code' | 'details'> {
  const { kind: code } = failure
  switch (failure.kind) {
    case 'sign_in_refused':
      return { result: 'denied', code, details: { error: failure.error } }
    case 'sign_in_expired':
    case 'sign_in_invalid':
    case 'identity_rejected':
      return { result: 'denied', code }
    case 'sign_in_clock':
    case 'identity_not_configured':
    case 'identity_unreachable':
    case 'identity_timeout':
    case 'identity_error':
      return { result: 'failed', code }
  }
}

const NOTHING_KNOWN: Omit<FailedSignIn, 'failure'> = { returnTo: null, setCookie: null }

/** Opens the session of a person whom the provider has signed in. The audit row comes first: nobody is signed in without one. */
export const openOnRecord = (
  { audit, sessions }: Pick<SignInOptions, 'audit' | 'sessions'>,
  { principal, sid, tokens }: SignIn,
  { requestId, address, userAgent, sessionToken }: Omit<BrowserRequest, 'cookies'>,
): ReturnType<Sessions['open']> =>
  onRecord(
    audit.decide(principal),
    {
      action: 'session.sign_in',
      target: 'session',
      requestId,
      address,
      details: { groupsKnown: principal.groups.kind === 'known' },
    },
    () => sessions.open({ principal, sid, tokens, address, userAgent }, sessionToken ?? undefined),
  )
