import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../text/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditFilter, AuditResult, AuditRow, AuditStore } from '../../ports/database/audit.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import { managersOf, type Principal } from '../access/principal.ts'

const KEPT_MS = 400 * 24 * 60 * 60_000
const NAME_MAX_CHARACTERS = 200

/** The facts about a request in its audit rows and log lines. */
export interface RequestFacts {
  readonly requestId: string
  /** Address of the client; `null` when it is not known. */
  readonly address: string | null
}

/** An action and its result. `details` may hold names of secrets, never their values. */
interface AuditFacts {
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

type Actor = Pick<Principal, 'issuer' | 'subject' | 'name'>

/** In the rows of requests that nobody was authenticated for. No person has an empty subject. */
const NOBODY: Actor = { issuer: '', subject: '', name: 'unknown' }

export interface AuditRecord extends AuditFacts {
  readonly id: string
  readonly at: number
  /** `null`: nobody that was authenticated. */
  readonly actor: Actor | null
}

/** A record for the log, with names and numbers as its only details. */
export interface AuditLine extends AuditRecord {
  /** Whether the database confirmed the row. */
  readonly recorded: boolean
}

export interface AuditPage {
  readonly records: readonly AuditRecord[]
  /** `before` of the next page's filter; `null` on the last page. */
  readonly next: string | null
}

export interface AuditOptions {
  readonly store: AuditStore
  readonly clock: Clock
  readonly log: (line: AuditLine) => void
}

export type Audit = ReturnType<typeof createAudit>

/** The audit trail: decisions, allowed and denied, and their effects. */
export function createAudit({ store, clock, log }: AuditOptions) {
  return {
    /**
     * Writes one row and one log line. On a failure the caller must not start the effect that the row announces; for a past
     * effect the log line remains.
     */
    async record(actor: Actor | null, entry: AuditEntry): Promise<Result<void, DatabaseFailure>> {
      const { issuer, subject, name } = actor ?? NOBODY
      const { groups = [], details = {}, requestId, ...facts } = entry
      const row: AuditRow = {
        team: null,
        code: null,
        revision: null,
        ...facts,
        id: Bun.randomUUIDv7(),
        at: clock.now(),
        issuer,
        subject,
        name,
        groups: JSON.stringify(groups),
        details: JSON.stringify(details),
        requestId: requestId ?? '',
      }
      const appended = await store.append(row)
      log({ ...toRecord(row), details: namesIn(details), recorded: appended.ok })
      return appended
    },

    /** Newest first. The caller checks `visibleTo` first. */
    async list(filter: AuditFilter): Promise<Result<AuditPage, DatabaseFailure>> {
      const { limit } = filter
      const found = await store.list({ ...filter, limit: limit + 1 })
      if (!found.ok) return found
      const records = found.value.slice(0, limit).map(toRecord)
      return ok({ records, next: found.value.length > limit ? (records.at(-1)?.id ?? null) : null })
    },

    /** Removes records older than 400 days. For a timer. */
    sweep: (): Promise<Result<number, DatabaseFailure>> =>
      store.removeBefore(clock.now() - KEPT_MS),
  }
}

/** Authorises reading the records of a team; `null` means all records, which only the platform team sees. */
export function visibleTo(
  principal: Principal,
  platformGroup: string,
  team: string | null,
): Result<readonly string[], Forbidden> {
  const teamGroups = team === null ? [] : [team, managersOf(team)]
  return authorise(principal, [platformGroup, ...teamGroups])
}

const StoredGroups = Type.Array(Type.String())
const StoredDetails = Type.Record(Type.String(), Type.Unknown())

/** Reads a row of `record`; any other text in the database is a bug. */
function toRecord({ issuer, subject, name, requestId, ...row }: AuditRow): AuditRecord {
  const groups = parseJson(row.groups)
  const details = parseJson(row.details)
  if (!Value.Check(StoredGroups, groups) || !Value.Check(StoredDetails, details)) {
    throw new Error('a record of the audit trail is not readable')
  }
  return {
    ...row,
    actor: subject === NOBODY.subject ? null : { issuer, subject, name },
    requestId: requestId || null,
    groups,
    details,
  }
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
