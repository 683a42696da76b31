import { RunId } from '../../names.ts'
import type { RunLeases, SeenRun } from '../../ports/database/run-leases.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { firstOf, isOfKind, type RunColumns } from './run-columns.ts'

const SEEN_MAX = 1_000

interface SeenColumns {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly holder: string | null
  readonly held_until: number | string
  readonly paused_at: number | string | null
}

/** PostgreSQL's driver gives 64-bit integers as text. */
const toSeen = (columns: SeenColumns): SeenRun => ({
  id: RunId.of(columns.id),
  person: `${columns.issuer} ${columns.subject}`,
  holder: columns.holder,
  until: Number(columns.held_until),
  pausedAt: columns.paused_at === null ? null : Number(columns.paused_at),
})

/** A lease is `holder` and `held_until`; a pause only `held_until`, and began with the last event of the run. */
export const createRunLeases = (engine: Engine): RunLeases => ({
  async look(kind) {
    const seen = await engine.run(
      (sql) => sql<SeenColumns[]>`
      SELECT id, issuer, subject, holder, held_until,
        CASE WHEN holder IS NULL AND held_until > 0 THEN (
          SELECT at FROM run_event WHERE run_id = run.id ORDER BY seq DESC LIMIT 1
        ) END AS paused_at
      FROM run WHERE status = 'running' AND ${isOfKind(sql, kind)}
      ORDER BY
        ROW_NUMBER() OVER (
          PARTITION BY issuer, subject
          ORDER BY CASE WHEN holder IS NOT NULL THEN 0 WHEN held_until = 0 THEN 1 ELSE 2 END, created_at, id
        ),
        CASE WHEN held_until = 0 THEN 0 ELSE 1 END, created_at, id
      LIMIT ${SEEN_MAX}`,
    )
    return seen.ok ? ok(seen.value.map(toSeen)) : seen
  },

  async claim(seen, { holder, until }) {
    const claimed = await engine.run(
      (sql) => sql<RunColumns[]>`
      UPDATE run SET holder = ${holder}, held_until = ${until}, attempts = attempts + 1
      WHERE id = ${seen.id} AND status = 'running'
        AND COALESCE(holder, '') = ${seen.holder ?? ''} AND held_until = ${seen.until}
      RETURNING *`,
    )
    return claimed.ok ? ok(firstOf(claimed.value)) : claimed
  },

  async renew(id, { holder, until }) {
    const renewed = await engine.run(
      (sql) => sql<unknown[]>`
      UPDATE run SET held_until = CASE WHEN held_until = ${until} THEN held_until + 1 ELSE ${until} END
      WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
    )
    return renewed.ok ? ok(renewed.value.affectedRows === 1) : renewed
  },

  async release(id, holder) {
    const released = await engine.run(
      (sql) =>
        sql`
          UPDATE run SET holder = ${null}, held_until = 0, attempts = attempts - 1
          WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
    )
    return released.ok ? ok(undefined) : released
  },

  async releaseDead(kind) {
    if (engine.isShared) return ok(undefined)
    const released = await engine.run(
      (sql) =>
        sql`
          UPDATE run SET holder = ${null}, held_until = 0
          WHERE holder IS NOT NULL AND status = 'running' AND ${isOfKind(sql, kind)}`,
    )
    return released.ok ? ok(undefined) : released
  },

  append: (id, holder, { events, state, status, at, attempts, pausedUntil }) =>
    engine.transaction(`run/${id}`, async (sql) => {
      const finishedAt = status === 'running' ? null : at
      const written = await sql<unknown[]>`
        UPDATE run SET state = ${state}, status = ${status}, finished_at = ${finishedAt}
        WHERE id = ${id} AND holder = ${holder} AND status = 'running' AND state <> ${state}`
      if (written.affectedRows !== 1) {
        const known = await sql<unknown[]>`SELECT 1 FROM run WHERE id = ${id} AND state = ${state}`
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

  async endPause(id) {
    const ended = await engine.run(
      (sql) =>
        sql`UPDATE run SET held_until = 0 WHERE id = ${id} AND holder IS NULL AND status = 'running'`,
    )
    return ended.ok ? ok(undefined) : ended
  },
})
