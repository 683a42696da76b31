import type { SQL } from 'bun'
import { RunId } from '../../names.ts'
import type { RunKind, RunRow, RunStatus } from '../../ports/database/runs.ts'

/** In front of `about`. No project has it: its `about` is the name of a repository. */
const MOVE = 'move:'

export const aboutOf = ({ kind, about }: Pick<RunRow, 'kind' | 'about'>): string =>
  kind === 'move' ? `${MOVE}${about}` : about

/** A condition on rows of `run`. */
export const isOfKind = (sql: SQL, kind: RunKind) =>
  kind === 'move' ? sql`about LIKE ${`${MOVE}%`}` : sql`about NOT LIKE ${`${MOVE}%`}`

export interface RunColumns {
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

/** PostgreSQL's driver gives 64-bit integers as text. */
export function toRow(columns: RunColumns): RunRow {
  const { status, issuer, subject, team, about, request, state } = columns
  const isMove = about.startsWith(MOVE)
  return {
    id: RunId.of(columns.id),
    kind: isMove ? 'move' : 'project',
    status,
    issuer,
    subject,
    team,
    about: isMove ? about.slice(MOVE.length) : about,
    request,
    state,
    requestHash: columns.request_hash,
    idempotencyKey: columns.idempotency_key,
    createdAt: Number(columns.created_at),
    finishedAt: columns.finished_at === null ? null : Number(columns.finished_at),
    attempts: Number(columns.attempts),
  }
}

export const firstOf = ([columns]: readonly RunColumns[]): RunRow | null =>
  columns === undefined ? null : toRow(columns)
