import type { SignIn } from '../../../ports/identity.ts'
import type { Audit, RequestFacts } from '../../audit/audit.ts'
import type { Sessions } from '../sessions/sessions.ts'

export interface OpenOptions {
  readonly sessions: Pick<Sessions, 'open'>
  readonly audit: Pick<Audit, 'decide'>
}

export interface OpeningBrowser extends RequestFacts {
  readonly userAgent: string | null
  /** Token of its active session, which ends. */
  readonly sessionToken: string | null
}

/** Opens the session of a person whom the provider has signed in. The audit row comes first: nobody is signed in without one. */
export async function openOnRecord(
  { audit, sessions }: OpenOptions,
  { principal, sid, tokens }: SignIn,
  { requestId, address, userAgent, sessionToken }: OpeningBrowser,
): ReturnType<Sessions['open']> {
  const decision = audit.decide(principal)
  const entry = {
    action: 'session.sign_in',
    target: 'session',
    requestId,
    address,
    details: { groupsKnown: principal.groups.kind === 'known' },
  }
  const begun = await decision.begin(entry)
  if (!begun.ok) return begun
  const opened = await decision.attempt(() =>
    sessions.open({ principal, sid, tokens, address, userAgent }, sessionToken ?? undefined),
  )
  if (opened.ok) await decision.end({ ...entry, result: 'done' })
  else await decision.abandon(opened.error.kind)
  return opened
}
