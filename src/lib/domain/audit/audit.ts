import type { Clock } from '../../ports/clock.ts'
import type { AuditFilter, AuditStore } from '../../ports/database/audit.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import { managersOf, type Principal } from '../access/principal.ts'
import { createDecisions, type Decision, type Recorded } from './decision.ts'
import {
  type Actor,
  type AuditEntry,
  type AuditFacts,
  type AuditLine,
  type AuditRecord,
  merged,
  toRecord,
} from './entry.ts'

export type { AuditEntry, AuditLine, AuditRecord, RequestFacts } from './entry.ts'

/** Lifetime of every record of who did something. */
export const RECORDS_KEPT_MS = 400 * 24 * 60 * 60_000

export interface AuditPage {
  readonly records: readonly AuditRecord[]
  /** `before` of the next page's filter; `null` on the last page. */
  readonly next: string | null
}

export type Audit = ReturnType<typeof createAudit>

/** The audit trail: decisions, allowed and denied, and their effects. */
export function createAudit(store: AuditStore, clock: Clock, log: (line: AuditLine) => void) {
  const { decide, amend, keep, close } = createDecisions(store, clock, log)
  return {
    decide,

    /** Writes a row about a decision without effects, or about past ones: for those the log line remains when the row fails. */
    record: (actor: Actor | null, entry: AuditEntry): Recorded => decide(actor).end(entry),

    /**
     * Ends the rows of a run that has outlived its request, as soon as the database allows it. They have its id among their details: the
     * id of a request is chosen by its client, who may give several requests the same.
     */
    finish: (
      { target, action }: Pick<AuditEntry, 'target' | 'action'>,
      runId: string,
      { result, code, details }: Pick<AuditFacts, 'result' | 'code' | 'details'>,
    ): Recorded =>
      keep(async () => {
        const found = await store.list({ ...EVERYTHING, target, action, limit: UNFINISHED_MAX })
        if (!found.ok) return found
        for (const row of found.value) {
          if (row.result !== 'started' || toRecord(row).details['runId'] !== runId) continue
          await amend({ ...row, result, code, details: merged(row.details, details) })
        }
        return DONE
      }),

    /** Newest first. The caller checks `visibleTo` first. */
    async list(filter: AuditFilter): Promise<Result<AuditPage, DatabaseFailure>> {
      const { limit } = filter
      const found = await store.list({ ...filter, limit: limit + 1 })
      if (!found.ok) return found
      const records = found.value.slice(0, limit).map(toRecord)
      return ok({ records, next: found.value.length > limit ? (records.at(-1)?.id ?? null) : null })
    },

    /** A record by its id; `null`: there is none. The caller checks `visibleTo` with its team. */
    async find(id: string): Promise<Result<AuditRecord | null, DatabaseFailure>> {
      const found = await store.find(id)
      if (!found.ok) return found
      return ok(found.value === null ? null : toRecord(found.value))
    },

    /**
     * Records that belong to another, oldest first: those of the same request, run, pull request or promotion among the latest of its target,
     * and what people did with that pull request at the embedded git host.
     * @param pullRequests target of the records of a pull request
     */
    async related(
      record: AuditRecord,
      pullRequests: (number: number) => string,
    ): Promise<Result<readonly AuditRecord[], DatabaseFailure>> {
      const { id, target } = record
      const number = pullRequestOf(record)
      const targets = typeof number === 'number' ? [target, pullRequests(number)] : [target]
      const related: AuditRecord[] = []
      for (const each of targets) {
        const found = await store.list({ ...EVERYTHING, target: each, limit: RELATED_MAX })
        if (!found.ok) return found
        const others = found.value.map(toRecord).filter((other) => other.id !== id)
        related.push(...others.filter((other) => each !== target || isJoined(record, other)))
      }
      return ok(related.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    },

    /** Removes records older than 400 days. For a timer. */
    sweep: (): Promise<Result<number, DatabaseFailure>> =>
      store.removeBefore(clock.now() - RECORDS_KEPT_MS),

    close,
  }
}

/** A decision that another process announced: its row gets the outcome, and nothing else. */
export function resumedDecision(
  { finish }: Pick<Audit, 'finish'>,
  row: Parameters<Audit['finish']>[0],
  runId: string,
): Decision {
  const none = async () => DONE
  const end = ({
    result,
    code = null,
    details = {},
  }: Pick<AuditEntry, 'result' | 'code' | 'details'>) =>
    finish(row, runId, { result, code, details })
  const abandon = (code: string, details: AuditFacts['details'] = {}) =>
    end({ result: 'failed', code, details })
  return {
    begin: none,
    note: none,
    end,
    abandon,
    attempt: (effects) =>
      effects().catch(async (bug: unknown) => {
        await abandon('internal_error')
        throw bug
      }),
  }
}

const DONE = ok(undefined)
const EVERYTHING = {
  team: null,
  target: null,
  subject: null,
  action: null,
  without: null,
  before: null,
}
/** Rows of a target in which work that goes on is looked for. */
const UNFINISHED_MAX = 200

/** Rows of a target in which those that belong to another are looked for. */
const RELATED_MAX = 200

function isJoined(one: AuditRecord, other: AuditRecord): boolean {
  const isShared = (name: string) =>
    one.details[name] !== undefined && one.details[name] === other.details[name]
  const isOneRequest = one.requestId !== null && one.requestId === other.requestId
  const pullRequest = pullRequestOf(one)
  const isOnePull = pullRequest !== null && pullRequest === pullRequestOf(other)
  // A confirmation ends the promotion to its environment. What is released there later needs none.
  const moves = [one, other].filter(({ details }) => details['kind'] !== 'release')
  const isPromotion =
    moves.length === 2 &&
    moves.some(({ action }) => action === 'promotion.confirm') &&
    isShared('target')
  return isOneRequest || isOnePull || isShared('runId') || isPromotion
}

/** Its number in the gitops repository. */
function pullRequestOf({ details }: AuditRecord): number | null {
  const number = details['pullRequest'] ?? details['prNumber']
  return typeof number === 'number' ? number : null
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
