import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { ListedSession } from '../../../ports/database/sessions.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Audit, AuditEntry, RequestFacts } from '../../audit/audit.ts'
import { onRecord } from '../../audit/decision.ts'
import { authorise, type Forbidden } from '../authorise.ts'
import type { Principal } from '../principal.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** It does not exist, has ended, or is somebody else's; the answer does not tell which. */
export type SessionNotFound = { readonly kind: 'session_not_found' }

export type PersonSessions = ReturnType<typeof createPersonSessions>

/** A person's sessions, and who may end them. Every end is in the audit trail. */
export function createPersonSessions(
  sessions: Pick<Sessions, 'list' | 'endOwn' | 'endOthers' | 'endPerson'>,
  audit: Pick<Audit, 'record' | 'decide'>,
  platformGroup: string,
) {
  const record = (
    { principal }: Session,
    { requestId, address }: RequestFacts,
    entry: Omit<AuditEntry, keyof RequestFacts>,
  ) => audit.record(principal, { requestId, address, ...entry })

  return {
    /** Newest first. */
    list: (person: Principal): Promise<Result<readonly ListedSession[], DatabaseFailure>> =>
      sessions.list(person),

    /** Ends one of the acting person's sessions. */
    async end(
      by: Session,
      idHash: string,
      request: RequestFacts,
    ): Promise<Result<void, SessionNotFound | DatabaseFailure>> {
      const ended = await sessions.endOwn(by.principal, idHash)
      if (!ended.ok) return ended
      // No record of it: anybody can make ids up.
      if (!ended.value) return err({ kind: 'session_not_found' })
      // Its failure does not bring the session back; the log line of the record remains.
      await record(by, request, {
        action: 'session.sign_out',
        target: `session/${idHash}`,
        result: 'done',
      })
      return ok(undefined)
    },

    /** Ends all of the acting person's sessions but the one that acts, and answers their number. */
    async endOthers(by: Session, request: RequestFacts): Promise<Result<number, DatabaseFailure>> {
      const ended = await sessions.endOthers(by)
      if (!ended.ok) return ended
      await record(by, request, {
        action: 'session.sign_out',
        target: `person/${by.principal.subject}`,
        result: 'done',
        details: { ended: ended.value },
      })
      return ended
    },

    /** Ends all sessions of a person of the same issuer, and answers their number. For the platform team. */
    async revoke(
      by: Session,
      subject: string,
      { requestId, address }: RequestFacts,
    ): Promise<Result<number, Forbidden | DatabaseFailure>> {
      const { issuer } = by.principal
      const entry = { action: 'session.revoke', target: `person/${subject}`, requestId, address }
      const decision = audit.decide(by.principal)
      const allowed = authorise(by.principal, [platformGroup])
      if (!allowed.ok) {
        await decision.end({ ...entry, result: 'denied', code: allowed.error.kind })
        return allowed
      }
      return onRecord(
        decision,
        { ...entry, groups: allowed.value },
        () => sessions.endPerson({ kind: 'person', issuer, subject }),
        (ended) => ({ ended }),
      )
    },
  }
}
