import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { ListedSession } from '../../../ports/database/sessions.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Audit, AuditEntry, RequestFacts } from '../../audit/audit.ts'
import { authorise, type Forbidden } from '../authorise.ts'
import type { Principal } from '../principal.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** It does not exist, has ended, or is somebody else's; the answer does not tell which. */
export type SessionNotFound = { readonly kind: 'session_not_found' }

export interface PersonSessionsOptions {
  readonly sessions: Pick<Sessions, 'list' | 'endOwn' | 'endOthers' | 'endPerson'>
  readonly audit: Pick<Audit, 'record' | 'decide'>
  readonly platformGroup: string
}

/** A person's sessions, and who may end them. Every end is in the audit trail. */
export interface PersonSessions {
  /** Newest first. */
  list(person: Principal): Promise<Result<readonly ListedSession[], DatabaseFailure>>
  /** Ends one of the acting person's sessions. */
  end(
    by: Session,
    idHash: string,
    request: RequestFacts,
  ): Promise<Result<void, SessionNotFound | DatabaseFailure>>
  /** Ends all of the acting person's sessions but the one that acts, and answers their number. */
  endOthers(by: Session, request: RequestFacts): Promise<Result<number, DatabaseFailure>>
  /** Ends all sessions of a person of the same issuer, and answers their number. For the platform team. */
  revoke(
    by: Session,
    subject: string,
    request: RequestFacts,
  ): Promise<Result<number, Forbidden | DatabaseFailure>>
}

export function createPersonSessions({
  sessions,
  audit,
  platformGroup,
}: PersonSessionsOptions): PersonSessions {
  const record = (
    { principal }: Session,
    { requestId, address }: RequestFacts,
    entry: Omit<AuditEntry, keyof RequestFacts>,
  ) => audit.record(principal, { requestId, address, ...entry })

  return {
    list: (person) => sessions.list(person),

    async end(by, idHash, request) {
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

    async endOthers(by, request) {
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

    async revoke(by, subject, request) {
      const { requestId, address } = request
      const target = `person/${subject}`
      const entry = { action: 'session.revoke', target, requestId, address }
      const decision = audit.decide(by.principal)
      const allowed = authorise(by.principal, [platformGroup])
      if (!allowed.ok) {
        await decision.end({ ...entry, result: 'denied', code: allowed.error.kind })
        return allowed
      }
      const begun = await decision.begin({ ...entry, groups: allowed.value })
      if (!begun.ok) return begun
      const { issuer } = by.principal
      const ended = await decision.attempt(() =>
        sessions.endPerson({ kind: 'person', issuer, subject }),
      )
      await decision.end(
        ended.ok
          ? { ...entry, result: 'done', details: { ended: ended.value } }
          : { ...entry, result: 'failed', code: ended.error.kind },
      )
      return ended
    },
  }
}
