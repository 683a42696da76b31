import type { SessionOwner, SessionSelector } from '../../../ports/database.ts'
import type { Session } from './session.ts'

/** Whose session it is. */
export interface SessionOwnership {
  readonly idHash: string
  readonly issuer: string
  readonly subject: string
  readonly sid: string | null
}

export const ownershipOf = ({
  idHash,
  sid,
  principal: { issuer, subject },
}: Session): SessionOwnership => ({ idHash, issuer, subject, sid })

export type EndedSessions = Extract<SessionSelector, { kind: 'own' | 'others' }> | SessionOwner

/** Whether the session is one of those that the store removes by this selector. */
export function isEnded(
  ended: EndedSessions,
  { idHash, issuer, subject, sid }: SessionOwnership,
): boolean {
  if (issuer !== ended.issuer) return false
  switch (ended.kind) {
    case 'person':
      return subject === ended.subject
    case 'sign_in':
      return sid === ended.sid && (ended.subject === null || subject === ended.subject)
    case 'own':
      return subject === ended.subject && idHash === ended.idHash
    case 'others':
      return subject === ended.subject && idHash !== ended.idHash
  }
}
