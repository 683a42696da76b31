import type { SQL } from 'bun'
import { RunId } from '../../names.ts'
import type {
  RunEventRow,
  RunRow,
  RunStatus,
  RunStore,
  SameRun,
} from '../../ports/database/runs.ts'
import { ok } from '../../result.ts'
import type { Engine, Statement } from './engine.ts'

interface Columns {
  readonly id: string
  readonly status: RunStatus
  readonly issuer: string
  readonly subject: string
  readonly team: string
  readonly about: string
  readonly request: string
  readonly state: string
  readonly request_hash: string
  readonly idempotency_key: string | null
  readonly created_at: number | string
  readonly finished_at: number | string | null
  readonly attempts: number | string
}

interface EventColumns {
  readonly seq: number | string
  readonly event: string
  readonly data: string
  readonly at: number | string
}

/** Starting and reopening check the other runs before they write: one at a time. */
const START_LOCK = 'run/start'

/** PostgreSQL's driver gives 64-bit integers as text. */
function toRow(columns: Columns): RunRow {
  const { status, issuer, subject, team, about, request, state } = columns
  return {
    id: RunId.of(columns.id),
    status,
    issuer,
    subject,
    team,
    about,
    request,
    state,
    requestHash: columns.request_hash,
    idempotencyKey: columns.idempotency_key,
    createdAt: Number(columns.created_at),
    finishedAt: columns.finished_at === null ? null : Number(columns.finished_at),
    attempts: Number(columns.attempts),
  }
}

const toEvent = ({ seq, event, data, at }: EventColumns): RunEventRow => ({
  seq: Number(seq),
  event,
  data,
  at: Number(at),
})

const firstOf = ([columns]: readonly Columns[]): RunRow | null =>
  columns === undefined ? null : toRow(columns)

export function createRunStore(engine: Engine): RunStore {
  const one = async (statement: (sql: SQL) => Statement<readonly Columns[]>) => {
    const found = await engine.run(statement)
    return found.ok ? ok(firstOf(found.value)) : found
  }

  const find = (id: RunId) => one((sql) => sql<Columns[]>`SELECT * FROM run WHERE id = ${id}`)

  return {
    start: (run, sameRun) =>
      engine.transaction(START_LOCK, async (sql) => {
        const same = firstOf(await sameRuns(sql, sameRun))
        if (same !== null) return { kind: 'same', run: same } as const
        if (await isTaken(sql, run.about)) return { kind: 'taken' } as const
        await sql`
          INSERT INTO run (
            id, status, issuer, subject, team, about, request, state, request_hash, idempotency_key,
            created_at, finished_at, attempts, holder, held_until
          ) VALUES (
            ${run.id}, 'running', ${run.issuer}, ${run.subject}, ${run.team}, ${run.about},
            ${run.request}, ${run.state}, ${run.requestHash}, ${run.idempotencyKey},
            ${run.createdAt}, ${null}, 0, ${null}, 0
          )`
        return { kind: 'started' } as const
      }),

    findSame: (sameRun) => one((sql) => sameRuns(sql, sameRun)),
    async adoptKey(id, key) {
      const adopted = await engine.run(
        (sql) =>
          sql`UPDATE run SET idempotency_key = ${key} WHERE id = ${id} AND idempotency_key IS NULL`,
      )
      return adopted.ok ? ok(undefined) : adopted
    },

    find,
    findFailed: (about) =>
      one(
        (sql) => sql<Columns[]>`
          SELECT * FROM run WHERE about = ${about} AND status = 'failed'
          ORDER BY created_at DESC, id DESC LIMIT 1`,
      ),

    async list({ person, team, limit }) {
      const found = await engine.run(
        (sql) => sql<Columns[]>`
        SELECT * FROM run
        WHERE (${person === null ? 1 : 0} = 1
            OR issuer = ${person?.issuer ?? ''} AND subject = ${person?.subject ?? ''})
          AND (${team === null ? 1 : 0} = 1 OR team = ${team ?? ''})
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      )
      return found.ok ? ok(found.value.map(toRow)) : found
    },

    async events(id, after) {
      const found = await engine.run(
        (sql) => sql<EventColumns[]>`
        SELECT seq, event, data, at FROM run_event WHERE run_id = ${id} AND seq > ${after} ORDER BY seq`,
      )
      return found.ok ? ok(found.value.map(toEvent)) : found
    },

    claim: (lease, now) =>
      engine.transaction('run/claim', async (sql) => {
        const [free] = await sql<{ id: string }[]>`
          SELECT id FROM run WHERE status = 'running' AND held_until <= ${now}
          ORDER BY created_at, id LIMIT 1`
        if (free === undefined) return null
        await sql`
          UPDATE run SET holder = ${lease.holder}, held_until = ${lease.until}, attempts = attempts + 1
          WHERE id = ${free.id}`
        return firstOf(await sql<Columns[]>`SELECT * FROM run WHERE id = ${free.id}`)
      }),

    async renew(id, lease) {
      const renewed = await engine.run(
        (sql) => sql<unknown[]>`
        UPDATE run SET held_until = ${lease.until}
        WHERE id = ${id} AND holder = ${lease.holder} AND status = 'running'`,
      )
      return renewed.ok ? ok(renewed.value.affectedRows === 1) : renewed
    },

    async release(id, holder) {
      const released = await engine.run(
        (sql) =>
          sql`UPDATE run SET holder = ${null}, held_until = 0 WHERE id = ${id} AND holder = ${holder}`,
      )
      return released.ok ? ok(undefined) : released
    },

    append: (id, holder, { events, state, status, at, pausedUntil }) =>
      engine.transaction(`run/${id}`, async (sql) => {
        const finishedAt = status === 'running' ? null : at
        const written = await sql<unknown[]>`
          UPDATE run SET state = ${state}, status = ${status}, finished_at = ${finishedAt}
          WHERE id = ${id} AND holder = ${holder} AND status = 'running'`
        if (written.affectedRows !== 1) return false
        const [last] = await sql<{ seq: number | string | null }[]>`
          SELECT MAX(seq) AS seq FROM run_event WHERE run_id = ${id}`
        let seq = Number(last?.seq ?? 0)
        for (const { event, data } of events) {
          seq += 1
          await sql`
            INSERT INTO run_event (run_id, seq, event, data, at)
            VALUES (${id}, ${seq}, ${event}, ${data}, ${at})`
        }
        if (pausedUntil !== undefined) {
          await sql`
            UPDATE run SET holder = ${null}, held_until = ${pausedUntil}, attempts = attempts - 1
            WHERE id = ${id}`
        }
        return true
      }),

    async reopen(id) {
      const found = await find(id)
      if (!found.ok) return found
      const run = found.value
      if (run === null) return ok(false)
      return engine.transaction(START_LOCK, async (sql) => {
        if (await isTaken(sql, run.about)) return false
        const reopened = await sql<unknown[]>`
          UPDATE run SET status = 'running', finished_at = ${null}, attempts = 0, holder = ${null}, held_until = 0
          WHERE id = ${id} AND status = 'failed'`
        return reopened.affectedRows === 1
      })
    },

    async endPause(id) {
      const ended = await engine.run(
        (sql) =>
          sql`UPDATE run SET held_until = 0 WHERE id = ${id} AND holder IS NULL AND status = 'running'`,
      )
      return ended.ok ? ok(undefined) : ended
    },

    async removeEnded(endedBefore) {
      const removed = await engine.run(
        (sql) => sql<unknown[]>`DELETE FROM run WHERE finished_at <= ${endedBefore}`,
      )
      return removed.ok ? ok(removed.value.affectedRows) : removed
    },
  }
}

/** By the idempotency key; else by the request, among runs that were running when it arrived. */
const sameRuns = (
  sql: SQL,
  { issuer, subject, requestHash, since, idempotency }: SameRun,
): SQL.Query<Columns[]> => sql<Columns[]>`
  SELECT * FROM run
  WHERE issuer = ${issuer} AND subject = ${subject} AND (
    idempotency_key = ${idempotency?.key ?? ''} AND created_at >= ${idempotency?.since ?? 0}
    OR request_hash = ${requestHash} AND (status = 'running' OR finished_at >= ${since})
  )
  ORDER BY CASE WHEN idempotency_key = ${idempotency?.key ?? ''} THEN 0 ELSE 1 END, created_at DESC, id DESC
  LIMIT 1`

async function isTaken(sql: SQL, about: string): Promise<boolean> {
  const running = await sql<unknown[]>`
    SELECT id FROM run WHERE about = ${about} AND status = 'running'`
  return running.length > 0
}
