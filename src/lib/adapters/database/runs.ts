import type { SQL } from 'bun'
import type { RunEventRow, RunKind, RunRow, RunStore, SameRun } from '../../ports/database/runs.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

/** Starting and reopening check the other runs before they write: one at a time. */
const START_LOCK = 'run/start'

/** In front of `about`. No project has it: its `about` is the name of a repository. */
const MOVE = 'move:'

const aboutOf = ({ kind, about }: Pick<RunRow, 'kind' | 'about'>): string =>
  kind === 'move' ? `${MOVE}${about}` : about

/** A condition on rows of `run`. */
export const isOfKind = (sql: SQL, kind: RunKind) =>
  kind === 'move' ? sql`about LIKE ${`${MOVE}%`}` : sql`about NOT LIKE ${`${MOVE}%`}`

type StoredRun = Omit<RunRow, 'kind'>
export type RunColumns = Stored<StoredRun>

export const runColumns = (sql: SQL) => sql`
  id, status, issuer, subject, team, about, request, state, request_hash AS "requestHash",
  idempotency_key AS "idempotencyKey", created_at AS "createdAt", finished_at AS "finishedAt", attempts`

const toStored = rowOf<StoredRun>({ createdAt: true, finishedAt: true, attempts: true })

export function toRow(columns: RunColumns): RunRow {
  const run = toStored(columns)
  const isMove = run.about.startsWith(MOVE)
  return isMove
    ? { ...run, kind: 'move', about: run.about.slice(MOVE.length) }
    : { ...run, kind: 'project' }
}

const toEvent = rowOf<RunEventRow>({ seq: true, at: true })

export function createRunStore(engine: Engine): RunStore {
  const { all, first, changed, done } = statementsOf(engine)

  const find: RunStore['find'] = (id) =>
    first((sql) => sql<RunColumns[]>`SELECT ${runColumns(sql)} FROM run WHERE id = ${id}`, toRow)

  return {
    start: (run, sameRun, { lastEnd, lease } = {}) =>
      engine.transaction(START_LOCK, async (sql) => {
        const about = aboutOf(run)
        const [same] = await sameRuns(sql, sameRun)
        if (same !== undefined) return { kind: 'same', run: toRow(same) } as const
        const [last] = await endsOf(sql, about)
        const isOutdated = lastEnd !== undefined && lastEnd !== toEnd(last)
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

    lastEnd: (about) => first((sql) => endsOf(sql, about), toEnd),
    findSame: (sameRun) => first((sql) => sameRuns(sql, sameRun), toRow),

    adoptKey: (id, key) =>
      done(
        (sql) =>
          sql`UPDATE run SET idempotency_key = ${key} WHERE id = ${id} AND idempotency_key IS NULL`,
      ),

    find,
    findFailed: (about) =>
      first(
        (sql) => sql<RunColumns[]>`
        SELECT ${runColumns(sql)} FROM run WHERE about = ${about} AND status = 'failed'
        ORDER BY created_at DESC, id DESC LIMIT 1`,
        toRow,
      ),

    list: ({ kind, person, team, before, limit }) =>
      all(
        (sql) => sql<RunColumns[]>`
        SELECT ${runColumns(sql)} FROM run
        WHERE ${isOfKind(sql, kind)}
          AND (${person === null ? 1 : 0} = 1
            OR issuer = ${person?.issuer ?? ''} AND subject = ${person?.subject ?? ''})
          AND (${team === null ? 1 : 0} = 1 OR team = ${team ?? ''})
          AND (${before === null ? 1 : 0} = 1
            OR (created_at, id) < (SELECT created_at, id FROM run WHERE id = ${before ?? ''}))
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
        toRow,
      ),

    events: (id, after) =>
      all(
        (sql) => sql<Stored<RunEventRow>[]>`
        SELECT seq, event, data, at FROM run_event WHERE run_id = ${id} AND seq > ${after} ORDER BY seq`,
        toEvent,
      ),

    discard: (id, holder) =>
      done(
        (sql) =>
          sql`DELETE FROM run WHERE id = ${id} AND holder = ${holder} AND status = 'running'`,
      ),

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

    removeEnded: (endedBefore) =>
      changed((sql) => sql`DELETE FROM run WHERE finished_at <= ${endedBefore}`),
  }
}

/** By the idempotency key; else by the request, among runs that were running when it arrived. */
const sameRuns = (
  sql: SQL,
  { issuer, subject, requestHash, since, idempotency }: SameRun,
): SQL.Query<RunColumns[]> => sql<RunColumns[]>`
  SELECT ${runColumns(sql)} FROM run
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

interface End {
  readonly at: number | null
}

const endsOf = (sql: SQL, about: string) =>
  sql<Stored<End>[]>`SELECT MAX(finished_at) AS at FROM run WHERE about = ${about}`

const toEnd = (last?: Stored<End>): number | null =>
  last === undefined || last.at === null ? null : Number(last.at)
