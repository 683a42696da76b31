import { createAudit } from '#src/lib/domain/audit/audit.ts'
import type { AuditLine } from '#src/lib/domain/audit/entry.ts'
import type { AuditFilter, AuditRow } from '#src/lib/ports/database/audit.ts'
import type { DatabaseFailure } from '#src/lib/ports/database/failure.ts'
import { err, ok, type Result } from '#src/lib/result.ts'

/** Every record. */
export const ALL_RECORDS: AuditFilter = {
  team: null,
  target: null,
  subject: null,
  action: null,
  without: null,
  before: null,
  limit: 100,
}

const AWAY: DatabaseFailure = { kind: 'database_unavailable', reason: 'on demand' }

/** An audit trail in memory, which may be away. */
export function keptAudit({ isAway = false, now = () => Date.now() } = {}) {
  const state: { isAway: boolean; unreadable?: string } = { isAway }
  const rows: AuditRow[] = []
  const lines: AuditLine[] = []
  const answer = <Value>(act: () => Value): Promise<Result<Value, DatabaseFailure>> =>
    Promise.resolve(state.isAway ? err(AWAY) : ok(act()))
  const audit = createAudit(
    {
      append: (row) => answer(() => void rows.push(row)),
      amend: (given) =>
        answer(() => {
          const index = rows.findIndex(({ id, result }) => id === given.id && result === 'started')
          const row = rows[index]
          if (row !== undefined) rows[index] = { ...row, ...given }
          return row !== undefined
        }),
      find: (sought) => answer(() => rows.find(({ id }) => id === sought) ?? null),
      list: async ({ target }) =>
        target !== null && target === state.unreadable
          ? err(AWAY)
          : answer(() =>
              rows.filter((row) => target === null || row.target === target).toReversed(),
            ),
      removeBefore: () => answer(() => 0),
    },
    { now },
    (line) => void lines.push(line),
  )
  return {
    audit,
    state,
    lines,
    /** What the rows say, oldest first. */
    entries: () =>
      rows.map((row) => ({
        by: row.subject,
        action: row.action,
        target: row.target,
        team: row.team,
        result: row.result,
        code: row.code,
        groups: JSON.parse(row.groups) as string[],
        revision: row.revision,
        requestId: row.requestId,
        address: row.address,
        details: JSON.parse(row.details) as Record<string, unknown>,
      })),
  }
}
