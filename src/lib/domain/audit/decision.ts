import { onNobodysBehalf } from '../../concurrency/on-behalf-of.ts'
import type { AuditRow, AuditStore } from '../../ports/database/audit.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Clock } from '../../ports/clock.ts'
import { ok, type Result } from '../../result.ts'
import {
  type Actor,
  type AuditEntry,
  type AuditFacts,
  type AuditLine,
  merged,
  toLine,
  toRow,
} from './entry.ts'

/** Outcomes that wait for the database. */
const WAITING_MAX = 1_000
const REPEAT_MS = 250
const CLOSE_DEADLINE_MS = 2_000

export type Recorded = Promise<Result<void, DatabaseFailure>>

/** One row and one log line about one decision, however many effects and tries it takes. */
export interface Decision {
  /** Writes the row that announces effects, unless it is there. On a failure the caller must not start them. */
  begin(entry: Omit<AuditEntry, 'result' | 'code'>): Recorded
  /** Adds facts of an effect that has happened, while others follow. */
  note(details: AuditFacts['details']): Recorded
  /**
   * Writes the outcome; without a row before, the whole row. Facts of the row that the entry does not have stay. The outcome of a row
   * waits until the database takes it.
   */
  end(entry: AuditEntry): Recorded
  /** Ends a row that was begun and has no outcome, as failed. */
  abandon(code: string, details?: AuditFacts['details']): Recorded
  /** Runs the announced effects. A bug in them is an outcome too. */
  attempt<Value>(effects: () => Promise<Value>): Promise<Value>
}

/**
 * Does something on record: the row that announces it comes first, without it nothing is done, and the outcome becomes that of the row.
 * `factsOf`: details of a success.
 */
export async function onRecord<Value, Failure extends { readonly kind: string }>(
  decision: Decision,
  entry: Omit<AuditEntry, 'result' | 'code'>,
  effects: () => Promise<Result<Value, Failure>>,
  factsOf: (value: Value) => AuditFacts['details'] = () => ({}),
): Promise<Result<Value, Failure | DatabaseFailure>> {
  const begun = await decision.begin(entry)
  if (!begun.ok) return begun
  const outcome = await decision.attempt(effects)
  if (!outcome.ok) await decision.abandon(outcome.error.kind)
  else await decision.end({ ...entry, result: 'done', details: factsOf(outcome.value) })
  return outcome
}

/** The log line comes with the outcome, twice when the outcome had to wait, and with a row that cannot be begun. */
export function createDecisions(
  store: Pick<AuditStore, 'append' | 'amend'>,
  clock: Clock,
  log: (line: AuditLine) => void,
) {
  const waiting: (() => Recorded)[] = []
  let isWriting = false
  /** Announced effects, and outcomes on their way to the database or the queue. */
  const underWay = new Set<Promise<unknown>>()

  function follow<Value>(work: Promise<Value>): Promise<Value> {
    underWay.add(work)
    const forget = () => void underWay.delete(work)
    work.then(forget, forget)
    return work
  }

  /** Writes now, or as soon as the database takes it. Fails when too much is waiting already. */
  async function keep(write: () => Recorded): Recorded {
    const written = await follow(write())
    if (written.ok || waiting.length >= WAITING_MAX) return written
    waiting.push(write)
    if (!isWriting) void follow(onNobodysBehalf(writeWaiting))
    return DONE
  }

  /** A row that the database does not take delays no other row. */
  async function writeWaiting(): Promise<void> {
    isWriting = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const written = await next()
      if (written.ok) continue
      waiting.push(next)
      await Bun.sleep(REPEAT_MS)
    }
    isWriting = false
  }

  async function append(row: AuditRow): Recorded {
    const appended = await store.append(row)
    if (!appended.ok || row.result !== 'started') log(toLine(row, appended.ok))
    return appended
  }

  async function amend(row: AuditRow): Recorded {
    if (row.result === 'started') {
      const amended = await store.amend(row)
      return amended.ok ? DONE : amended
    }
    let tries = 0
    return keep(async () => {
      const amended = await store.amend(row)
      tries += 1
      // A later try may find the outcome written: only the answer of an earlier one was lost.
      if (amended.ok) log(toLine(row, amended.value || tries > 1))
      else if (tries === 1) log(toLine(row, false))
      return amended.ok ? DONE : amended
    })
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

    const abandon = (code: string, details: AuditFacts['details'] = {}): Recorded =>
      change({ result: 'failed', code }, details)

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
        follow(
          effects().catch(async (bug: unknown) => {
            await abandon('internal_error')
            throw bug
          }),
        ),
    }
  }

  return {
    decide,
    amend,
    keep,

    /** Waits for announced effects and for their outcomes, until a deadline. */
    close: async (): Promise<void> => {
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS)
      const rest = async () => {
        while (underWay.size > 0) await Promise.allSettled(underWay)
      }
      await Promise.race([rest(), deadline.promise])
      clearTimeout(timer)
    },
  }
}

const DONE = ok(undefined)
