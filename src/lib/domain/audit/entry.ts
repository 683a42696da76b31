import type { AuditResult, AuditRow } from '../../ports/database/audit.ts'
import type { Principal, Via } from '../access/principal.ts'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { GrantKindSchema } from '../access/grants/grant.ts'
import { parseJson } from '../../text/json.ts'

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

/** Longest text of the details that is a name, in the log. */
const NAME_MAX_CHARACTERS = 200

/** In the rows of requests that nobody was authenticated for. No person has an empty subject. */
const NOBODY: Actor = { issuer: '', subject: '', name: 'unknown' }

/** A new row. */
export function toRow(
  actor: Actor | null,
  entry: AuditEntry,
  { id, at }: Pick<AuditRow, 'id' | 'at'>,
): AuditRow {
  const { issuer, subject, name, via } = actor ?? NOBODY
  const { groups = [], details = {}, requestId, ...facts } = entry
  return {
    team: null,
    code: null,
    revision: null,
    ...facts,
    id,
    at,
    issuer,
    subject,
    name,
    groups: JSON.stringify(groups),
    details: JSON.stringify(details),
    requestId: requestId ?? '',
    via: via === undefined ? null : JSON.stringify(via),
  }
}

/** Details of a row, with more of them. */
export const merged = (stored: string, more: AuditFacts['details']): string =>
  JSON.stringify({ ...readDetails(stored), ...more })

const StoredGroups = Type.Array(Type.String())
const StoredVia = Type.Object({
  kind: GrantKindSchema,
  id: Type.String(),
  client: Type.String(),
})
const StoredDetails = Type.Record(Type.String(), Type.Unknown())

const UNREADABLE = 'a record of the audit trail is not readable'

/** Any text that `createAudit` did not write is a bug. */
function readDetails(stored: string): Static<typeof StoredDetails> {
  const details = parseJson(stored)
  if (!Value.Check(StoredDetails, details)) throw new Error(UNREADABLE)
  return details
}

export function toRecord({ issuer, subject, name, requestId, ...row }: AuditRow): AuditRecord {
  const groups = parseJson(row.groups)
  const details = readDetails(row.details)
  const via = row.via === null ? null : parseJson(row.via)
  if (!Value.Check(StoredGroups, groups)) throw new Error(UNREADABLE)
  if (via !== null && !Value.Check(StoredVia, via)) throw new Error(UNREADABLE)
  return {
    ...row,
    actor: subject === NOBODY.subject ? null : { issuer, subject, name },
    requestId: requestId || null,
    groups,
    details,
    via,
  }
}

/** The log line about a row. Free text of people stays out of it. */
export function toLine(row: AuditRow, recorded: boolean): AuditLine {
  const record = toRecord(row)
  return { ...record, details: namesIn(record.details), recorded }
}

/** Matches names, paths, references and URLs without a query. */
const NAME = /^[\w./:@#-]+$/

const isName = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= NAME_MAX_CHARACTERS && NAME.test(value)
    : value === null || typeof value === 'number' || typeof value === 'boolean'

/** Keeps names, numbers and booleans, alone or in a list. Free text stays out of the log. */
function namesIn(details: AuditRecord['details']): AuditRecord['details'] {
  const kept = Object.entries(details).flatMap(([key, value]): [string, unknown][] => {
    if (Array.isArray(value)) return [[key, value.filter(isName)]]
    return isName(value) ? [[key, value]] : []
  })
  return Object.fromEntries(kept)
}
