import type { SQL } from 'bun'
import type { RunId } from '../../names.ts'
import type { RunEventRow, RunStore, SameRun } from '../../ports/database/runs.ts'
import { ok } from '../../result.ts'
import type { Engine, Statement } from './engine.ts'
import { aboutOf, firstOf, isOfKind, type RunColumns, toRow } from './run-columns.ts'

interface EventColumns {
  readonly seq: number | string
  readonly event: string
  readonly data: string
  readonly at: number | string
}

/** Starting and reopening check the other runs before they write: one at a time. */
const START_LOCK = 'run/start'

const toEvent = ({ seq, event, data, at }: EventColumns): RunEventRow => ({
  seq: Number(seq),
  event,
  data,
  at: Number(at),
})

export function createRunStore(engine: Engine): RunStore {
  const one = async (statement: (sql: SQL) => Statement<readonly RunColumns[]>) => {
    const found = await engine.run(statement)
    return found.ok ? ok(firstOf(found.value)) : found
  }

  const find = (id: RunId) => one((sql) => sql<RunColumns[]>`SELECT * FROM run WHERE id = ${id}`)

  return {
    start: (run, sameRun, { lastEnd, lease } = {}) =>
      engine.transaction(START_LOCK, async (sql) => {
        const about = aboutOf(run)
        const same = firstOf(await sameRuns(sql, sameRun))
        if (same !== null) return { kind: 'same', run: same } as const
        const isOutdated = lastEnd !== undefined && lastEnd !== toEnd(await endsOf(sql, about))
        if (isOutdated || (await isTaken(sql, about))) return { kind: 'taken' } as const
        await sql`
          INSERT INTO run (
            id, status, issuer, subject, team, about, request, state, request_hash, idempotency_key,
            created_at, finished_at, attempts, holder, held_until
          ) VALUES (
            ${run.id}, 'running', ${run.issuer}, ${run.subject}, ${run.team}, ${about},
            ${run.request}, ${run.state}, ${run.requestHash}, ${run.idempotencyKey},
            ${run.createdAt}, ${null}, ${lease === undefined ? 0 : 1}, ${lease?.holder ?? null}, ${lease?.until ?? 0}
          )`
        return { kind: 'started' } as const
      }),

    async lastEnd(about) {
      const found = await engine.run((sql) => endsOf(sql, about))
      return found.ok ? ok(toEnd(found.value)) : found
    },

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
        (sql) => sql<RunColumns[]>`
          SELECT * FROM run WHERE about = ${about} AND status = 'failed'
          ORDER BY created_at DESC, id DESC LIMIT 1`,
      ),

    async list({ kind, person, team, before, limit }) {
      const found = await engine.run(
        (sql) => sql<RunColumns[]>`
        SELECT * FROM run
        WHERE ${isOfKind(sql, kind)}
          AND (${person === null ? 1 : 0} = 1
            OR issuer = ${person?.issuer ?? ''} AND subject = ${person?.subject ?? ''})
          AND (${team === null ? 1 : 0} = 1 OR team = ${team ?? ''})
          AND (${before === null ? 1 : 0} = 1
            OR (created_at, id) < (SELECT created_at, id FROM run WHERE id = ${before ?? ''}))
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

    async discard(id, holder) {
      const discarded = await engine.run(
        (sql) =>
          sql`DELETE FROM run WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
      )
      return discarded.ok ? ok(undefined) : discarded
    },

    async reopen(id) {
      const found = await find(id)
      if (!found.ok) return found
      const run = found.value
      if (run === null) return ok(false)
      return engine.transaction(START_LOCK, async (sql) => {
        if (await isTaken(sql, aboutOf(run))) return false
        const reopened = await sql<unknown[]>`
          UPDATE run SET status = 'running', finished_at = ${null}, attempts = 0, holder = ${null}, held_until = 0
          WHERE id = ${id} AND status = 'failed'`
        return reopened.affectedRows === 1
      })
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
): SQL.Query<RunColumns[]> => sql<RunColumns[]>`
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

interface EndColumns {
  readonly at: number | string | null
}

const endsOf = (sql: SQL, about: string): SQL.Query<EndColumns[]> =>
  sql<EndColumns[]>`SELECT MAX(finished_at) AS at FROM run WHERE about = ${about}`

const toEnd = ([last]: readonly EndColumns[]): number | null =>
  last === undefined || last.at === null ? null : Number(last.at)
