import type { AuditResult } from '../../ports/database/audit.ts'
import type { Principal, Via } from '../access/principal.ts'

/** The facts about a request in its audit rows and log lines. */
export interface RequestFacts {
  readonly requestId: string
  /** Address of the client; `null` when it is not known. */
  readonly address: string | null
}

/** An action and its result. `details` may hold names of secrets, never their values. */
export interface AuditFacts {
  /** `promotion.propose`. */
  readonly action: string
  /** `component/payments-api`. */
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  /** Code of the refusal or failure. */
  readonly code: string | null
  /** The groups that granted the action. */
  readonly groups: readonly string[]
  readonly revision: string | null
  /** `null` for a row about several requests. */
  readonly requestId: string | null
  /** Address of the client; its network, such as `2001:db8::/64`, in a row about several requests. */
  readonly address: string | null
  readonly details: Readonly<Record<string, unknown>>
}

type Optional = 'team' | 'code' | 'groups' | 'revision' | 'details'

/** A missing team, code or revision is stored as `null`, missing groups and details as empty. */
export type AuditEntry = Omit<AuditFacts, Optional> & Partial<Pick<AuditFacts, Optional>>

export type Actor = Pick<Principal, 'issuer' | 'subject' | 'name' | 'via'>

export interface AuditRecord extends AuditFacts {
  readonly id: string
  readonly at: number
  /** `null`: nobody that was authenticated. */
  readonly actor: Omit<Actor, 'via'> | null
  /** The grant that the actor used; `null` in a browser. */
  readonly via: Via | null
}

/** A record for the log, with names and numbers as its only details. */
export interface AuditLine extends AuditRecord {
  /** Whether the database confirmed the row. */
  readonly recorded: boolean
}
