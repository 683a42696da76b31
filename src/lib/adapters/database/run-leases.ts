import type { RunLeases, SeenRun } from '../../ports/database/run-leases.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { isOfKind, type RunColumns, runColumns, toRow } from './runs.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

const SEEN_MAX = 1_000

/** A lease is `holder` and `held_until`; a pause only `held_until`, and began with the last event of the run. */
export function createRunLeases(engine: Engine): RunLeases {
  const { all, first, hasChanged, done } = statementsOf(engine)
  return {
    look: (kind) =>
      all(
        (sql) => sql<Stored<SeenRun>[]>`
        SELECT id, issuer || ' ' || subject AS person, holder, held_until AS "until",
          CASE WHEN holder IS NULL AND held_until > 0 THEN (
            SELECT at FROM run_event WHERE run_id = run.id ORDER BY seq DESC LIMIT 1
          ) END AS "pausedAt"
        FROM run WHERE status = 'running' AND ${isOfKind(sql, kind)}
        ORDER BY
          ROW_NUMBER() OVER (
            PARTITION BY issuer, subject
            ORDER BY CASE WHEN holder IS NOT NULL THEN 0 WHEN held_until = 0 THEN 1 ELSE 2 END, created_at, id
          ),
          CASE WHEN held_until = 0 THEN 0 ELSE 1 END, created_at, id
        LIMIT ${SEEN_MAX}`,
        rowOf<SeenRun>({ until: true, pausedAt: true }),
      ),

    claim: (seen, { holder, until }) =>
      first(
        (sql) => sql<RunColumns[]>`
        UPDATE run SET holder = ${holder}, held_until = ${until}, attempts = attempts + 1
        WHERE id = ${seen.id} AND status = 'running'
          AND COALESCE(holder, '') = ${seen.holder ?? ''} AND held_until = ${seen.until}
        RETURNING ${runColumns(sql)}`,
        toRow,
      ),

    renew: (id, { holder, until }) =>
      hasChanged(
        (sql) => sql`
        UPDATE run SET held_until = CASE WHEN held_until = ${until} THEN held_until + 1 ELSE ${until} END
        WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
      ),

    release: (id, holder) =>
      done(
        (sql) => sql`
        UPDATE run SET holder = ${null}, held_until = 0, attempts = attempts - 1
        WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
      ),

    async releaseDead(kind) {
      if (engine.isShared) return ok(undefined)
      return done(
        (sql) => sql`
        UPDATE run SET holder = ${null}, held_until = 0
        WHERE holder IS NOT NULL AND status = 'running' AND ${isOfKind(sql, kind)}`,
      )
    },

    append: (id, holder, { events, state, status, at, attempts, pausedUntil }) =>
      engine.transaction(`run/${id}`, async (sql) => {
        const finishedAt = status === 'running' ? null : at
        const written = await sql<unknown[]>`
          UPDATE run SET state = ${state}, status = ${status}, finished_at = ${finishedAt}
          WHERE id = ${id} AND holder = ${holder} AND status = 'running' AND state <> ${state}`
        if (written.affectedRows !== 1) {
          const known = await sql<
            unknown[]
          >`SELECT 1 FROM run WHERE id = ${id} AND state = ${state}`
          return known.length === 1
        }
        const [last] = await sql<{ seq: number | string | null }[]>`
          SELECT MAX(seq) AS seq FROM run_event WHERE run_id = ${id}`
        let seq = Number(last?.seq ?? 0)
        for (const { event, data } of events) {
          seq += 1
          await sql`
            INSERT INTO run_event (run_id, seq, event, data, at)
            VALUES (${id}, ${seq}, ${event}, ${data}, ${at})`
        }
        if (attempts !== undefined) {
          await sql`UPDATE run SET attempts = ${attempts} WHERE id = ${id}`
        }
        if (pausedUntil !== undefined) {
          await sql`UPDATE run SET holder = ${null}, held_until = ${pausedUntil} WHERE id = ${id}`
        }
        return true
      }),

    endPause: (id) =>
      done(
        (sql) => sql`
        UPDATE run SET held_until = 0 WHERE id = ${id} AND holder IS NULL AND status = 'running'`,
      ),
  }
}
