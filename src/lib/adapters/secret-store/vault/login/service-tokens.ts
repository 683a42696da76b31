import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { type Credential, readCredential } from '../../../../settings/credential.ts'
import type { SecretStoreMeans } from '../../means.ts'
import type { VaultClient } from '../api/client.ts'
import type { After } from './after.ts'
import { endOf, isUsable, type Lease, type StoreSession } from './lease.ts'
import { logIn } from './log-in.ts'
import { createRefusedLogins } from './refused-logins.ts'
import { serviceRequest, type ServiceLogin } from './method.ts'
import { lookUpSelf, renewSelf, revokeSelf } from './own-token.ts'
import type { Tokens } from './tokens.ts'

export interface ServiceTokensOptions extends Pick<SecretStoreMeans, 'clock' | 'log'> {
  readonly client: VaultClient
  readonly login: ServiceLogin
  readonly after: After
}

type Outcome = Result<StoreSession, SecretStoreFailure>

/** Part of a lease after which it is renewed. */
const RENEWED_AFTER = 2 / 3
/** Keeps a store with leases of a moment from being asked without a pause. */
const PAUSE_MIN_MS = 1_000
/** Timers of JavaScript end at 24.8 days. A renewal that is too early does no harm. */
const PAUSE_MAX_MS = 24 * 3_600_000

/** The tokens of the service. They are kept alive in the background, from the first login until `close`. */
export function createServiceTokens(options: ServiceTokensOptions) {
  const { client, login, clock, log, after } = options
  const refusedLogins = createRefusedLogins(clock)
  let current: StoreSession | null = null
  let flight: Promise<Outcome> | null = null
  let cancelTimer = () => {}
  let isClosed = false
  let hasWarned = false
  let hasToldLimit = false

  /** Logs in, once for all who ask at the same time. */
  function start(): Promise<Outcome> {
    flight ??= begin(options, refusedLogins)
      .then((outcome) => {
        if (outcome.ok) keep(outcome.value)
        return outcome
      })
      .finally(() => {
        flight = null
      })
    return flight
  }

  /** Uses the session from now on, and sees to its renewal. */
  function keep(session: StoreSession): void {
    current = session
    hasWarned = false
    cancelTimer()
    const { seconds, isRenewable } = session.lease
    if (isClosed || seconds === null) return
    if (login.kind === 'token' && !isRenewable) warnOfEnd(session)
    else wait(session, seconds * 1_000 * RENEWED_AFTER)
  }

  function wait(session: StoreSession, ms: number): void {
    const pause = Math.min(Math.max(ms, PAUSE_MIN_MS), PAUSE_MAX_MS)
    cancelTimer = after(pause, () => void prolong(session))
  }

  async function prolong(session: StoreSession): Promise<void> {
    const outcome = session.lease.isRenewable ? await renew(session) : await start()
    if (outcome.ok || isClosed || current?.token !== session.token) return
    if (!hasWarned) {
      log.warn({ failure: outcome.error }, 'the login at the secret store is not renewed')
    }
    hasWarned = true
    // After the end of the lease the next call logs in.
    const remainingMs = endOf(session) - clock.now()
    if (remainingMs > 0) wait(session, remainingMs * (1 - RENEWED_AFTER))
  }

  async function renew(session: StoreSession): Promise<Outcome> {
    const startedAt = clock.now()
    const renewal = await renewSelf(client, session.token)
    // A new login, or a new file of the token, was first.
    if (isClosed || current?.token !== session.token) return ok(session)
    if (!renewal.ok) return renewal
    if (renewal.value === null) {
      if (login.kind !== 'token') return start()
      keep({ ...session, lease: { ...session.lease, isRenewable: false } })
      return ok(session)
    }
    const { lease, isCapped } = renewal.value
    const isLimited = isCapped || (lease.seconds ?? 0) < (session.lease.seconds ?? 0)
    const renewed = {
      token: session.token,
      startedAt,
      lease: { ...lease, isRenewable: lease.isRenewable && !isLimited },
    }
    if (isLimited && login.kind !== 'token') tellLimit(renewed)
    keep(renewed)
    return ok(renewed)
  }

  function tellLimit(session: StoreSession): void {
    if (hasToldLimit) return
    hasToldLimit = true
    const endsAt = new Date(endOf(session))
    log.info(
      { endsAt },
      'the secret store limits the lease of a login: the next login is made in time',
    )
  }

  function warnOfEnd(session: StoreSession): void {
    const endsAt = new Date(endOf(session))
    log.warn(
      { endsAt },
      'the token for the secret store cannot be renewed beyond its end: replace it in time',
    )
  }

  return {
    async current() {
      if (login.kind !== 'token') {
        return current !== null && isUsable(current, clock.now()) ? ok(current) : start()
      }
      const token = readGiven(login.token)
      if (!token.ok) return token
      return current?.token === token.value ? ok(current) : start()
    },
    async replace(refused) {
      if (login.kind === 'token') {
        const token = readGiven(login.token)
        return token.ok && token.value === refused.token ? ok(null) : this.current()
      }
      if (current?.token === refused.token) current = null
      return this.current()
    },
    /** Ends the renewals, and revokes the token unless an operator gave it. */
    async close() {
      isClosed = true
      cancelTimer()
      await flight
      if (login.kind !== 'token' && current !== null) await revokeSelf(client, current.token)
    },
  } satisfies Tokens & { close(): Promise<void> }
}

async function begin(
  { client, login, clock }: ServiceTokensOptions,
  refusedLogins: ReturnType<typeof createRefusedLogins>,
): Promise<Outcome> {
  if (login.kind === 'token') {
    const token = readGiven(login.token)
    if (!token.ok) return token
    const startedAt = clock.now()
    const lease = await leaseOf(client, token.value)
    return lease.ok ? ok({ token: token.value, startedAt, lease: lease.value }) : lease
  }
  const request = serviceRequest(login)
  if (!request.ok) return denied(request.error)
  // The store counts refused logins of AppRoles alone.
  if (login.kind !== 'approle') return logIn(client, request.value, clock)
  const refused = refusedLogins.find(request.value)
  if (refused !== null) return err(refused)
  const outcome = await logIn(client, request.value, clock)
  if (outcome.ok) refusedLogins.clear()
  else if (outcome.error.kind === 'secret_store_denied')
    refusedLogins.note(request.value, outcome.error)
  return outcome
}

/** The lease of a given token. One that may not look at itself is renewed at once; otherwise its end is not known. */
async function leaseOf(
  client: VaultClient,
  token: string,
): Promise<Result<Lease, SecretStoreFailure>> {
  const lease = await lookUpSelf(client, token)
  if (!lease.ok) return lease
  if (lease.value !== null) return ok(lease.value)
  const renewal = await renewSelf(client, token)
  if (!renewal.ok) return renewal
  return ok(renewal.value?.lease ?? { seconds: null, isRenewable: false })
}

function readGiven(credential: Credential): Result<string, SecretStoreFailure> {
  const token = readCredential(credential)
  return token.ok ? token : denied(token.error)
}

const denied = (what: string) => err({ kind: 'secret_store_denied', what } as const)
