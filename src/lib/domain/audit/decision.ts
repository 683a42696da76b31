import type { AuditRow, AuditStore } from '../../ports/database/audit.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Clock } from '../../ports/clock.ts'
import { ok, type Result } from '../../result.ts'
import type { Actor, AuditEntry, AuditFacts, AuditLine } from './entry.ts'
import { merged, toLine, toRow } from './stored-row.ts'

export type Recorded = Promise<Result<void, DatabaseFailure>>

/** One row and one log line about one decision, however many effects and tries it takes. */
export interface Decision {
  /** Writes the row that announces effects, unless it is there. On a failure the caller must not start them. */
  begin(entry: Omit<AuditEntry, 'result' | 'code'>): Recorded
  /** Adds facts of an effect that has happened, while others follow. */
  note(details: AuditFacts['details']): Recorded
  /** Writes the outcome; without a row before, the whole row. Facts of the row that the entry does not have stay. */
  end(entry: AuditEntry): Recorded
  /** Ends a row that was begun and has no outcome, as failed. */
  abandon(code: string): Recorded
  /** Runs the announced effects. A bug in them is an outcome too. */
  attempt<Value>(effects: () => Promise<Value>): Promise<Value>
}

export interface DecisionOptions {
  readonly store: Pick<AuditStore, 'append' | 'amend'>
  readonly clock: Clock
  readonly log: (line: AuditLine) => void
}

/** The log line comes with the outcome, and with a row that cannot be begun. */
export function createDecisions({ store, clock, log }: DecisionOptions) {
  async function append(row: AuditRow): Recorded {
    const appended = await store.append(row)
    if (!appended.ok || row.result !== 'started') log(toLine(row, appended.ok))
    return appended
  }

  async function amend(row: AuditRow): Recorded {
    const amended = await store.amend(row)
    if (row.result !== 'started') log(toLine(row, amended.ok && amended.value))
    return amended.ok ? DONE : amended
  }

  function decide(actor: Actor | null): Decision {
    const newRow = (entry: AuditEntry) =>
      toRow(actor, entry, { id: Bun.randomUUIDv7(), at: clock.now() })
    /** The row as the database has it, until it has its outcome. */
    let open: AuditRow | undefined

    async function change(facts: Partial<AuditRow>, details: AuditFacts['details']): Recorded {
      if (open === undefined) return DONE
      const row = { ...open, ...facts, details: merged(open.details, details) }
      open = row.result === 'started' ? row : undefined
      return amend(row)
    }

    const abandon = (code: string): Recorded => change({ result: 'failed', code }, {})

    return {
      async begin(entry) {
        if (open !== undefined) return DONE
        const row = newRow({ ...entry, result: 'started' })
        const appended = await append(row)
        if (appended.ok) open = row
        return appended
      },
      note: (details) => change({}, details),
      async end(entry) {
        if (open === undefined) return append(newRow(entry))
        const { result, code = null, groups, revision, details = {} } = entry
        const facts = {
          result,
          code,
          ...(groups !== undefined && { groups: JSON.stringify(groups) }),
          ...(revision !== undefined && { revision }),
        }
        return change(facts, details)
      },
      abandon,
      attempt: (effects) =>
        effects().catch(async (bug: unknown) => {
          await abandon('internal_error')
          throw bug
        }),
    }
  }

  return { decide, amend }
}

const DONE = ok(undefined)
