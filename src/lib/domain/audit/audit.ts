import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../text/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  AuditFilter,
  AuditResult,
  AuditRow,
  AuditStore,
  DatabaseFailure,
} from '../../ports/database.ts'
import { ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import { managersOf, type Principal } from '../access/principal.ts'

const KEPT_MS = 400 * 24 * 60 * 60_000
const NAME_MAX_CHARACTERS = 200

/** What somebody asked for and what came of it. `details` may name secrets and never holds one. */
export interface AuditEntry {
  /** `promotion.propose`. */
  readonly action: string
  /** `component/payments-api`. */
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  /** Of a refusal or a failure. */
  readonly code: string | null
  /** The groups that decided. */
  readonly groups: readonly string[]
  readonly revision: string | null
  readonly requestId: string
  readonly details: Readonly<Record<string, unknown>>
}

type Actor = Pick<Principal, 'issuer' | 'subject' | 'name'>

export interface AuditRecord extends AuditEntry {
  readonly id: string
  readonly at: number
  readonly actor: Actor
}

/** A record for the log. Its details are less their free text. */
export interface AuditLine extends AuditRecord {
  /** Whether the row is known to be written. */
  readonly recorded: boolean
}

export interface AuditPage {
  readonly records: readonly AuditRecord[]
  /** Where the next page begins, when there is one: `before` of the next filter. */
  readonly next: string | null
}

export interface AuditOptions {
  readonly store: AuditStore
  readonly clock: Clock
  readonly log: (line: AuditLine) => void
}

export type Audit = ReturnType<typeof createAudit>

/** Who did what: decisions, allowed and denied, and their effects. */
export function createAudit({ store, clock, log }: AuditOptions) {
  return {
    /**
     * One row and one log line. When the row cannot be written the caller must not go on with what it was about to do: nothing
     * happens that leaves no trace. Of an effect that has happened by then the log line is the trace.
     */
    async record(actor: Principal, entry: AuditEntry): Promise<Result<void, DatabaseFailure>> {
      const { issuer, subject, name } = actor
      const { groups, details, ...facts } = entry
      const row: AuditRow = {
        ...facts,
        id: Bun.randomUUIDv7(),
        at: clock.now(),
        issuer,
        subject,
        name,
        groups: JSON.stringify(groups),
        details: JSON.stringify(details),
      }
      const appended = await store.append(row)
      log({ ...toRecord(row), details: namesIn(details), recorded: appended.ok })
      return appended
    },

    /** Newest first. Who may see it is asked before: `visibleTo`. */
    async list(filter: AuditFilter): Promise<Result<AuditPage, DatabaseFailure>> {
      const { limit } = filter
      const found = await store.list({ ...filter, limit: limit + 1 })
      if (!found.ok) return found
      const records = found.value.slice(0, limit).map(toRecord)
      return ok({ records, next: found.value.length > limit ? (records.at(-1)?.id ?? null) : null })
    },

    /** Removes what is older than 400 days. For a timer. */
    sweep: (): Promise<Result<number, DatabaseFailure>> =>
      store.removeBefore(clock.now() - KEPT_MS),
  }
}

/** Whether somebody may see the records of a team, or with `null` all. Those of no team are for the platform team. */
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

/** What `record` wrote; anything else in the database is a bug. */
function toRecord({ issuer, subject, name, ...row }: AuditRow): AuditRecord {
  const groups = parseJson(row.groups)
  const details = parseJson(row.details)
  if (!Value.Check(StoredGroups, groups) || !Value.Check(StoredDetails, details)) {
    throw new Error('a record of the audit trail is not readable')
  }
  return { ...row, actor: { issuer, subject, name }, groups, details }
}

/** Names, paths, references, URLs without a query. */
const NAME = /^[\w./:@#-]+$/

const isName = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= NAME_MAX_CHARACTERS && NAME.test(value)
    : value === null || typeof value === 'number' || typeof value === 'boolean'

/** Details with the values that are names or numbers, alone or in a list. What people write themselves stays in the row. */
function namesIn(details: AuditEntry['details']): AuditEntry['details'] {
  const kept = Object.entries(details).flatMap(([key, value]): [string, unknown][] => {
    if (Array.isArray(value)) return [[key, value.filter(isName)]]
    return isName(value) ? [[key, value]] : []
  })
  return Object.fromEntries(kept)
}
