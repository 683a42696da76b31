import { RunId } from '../../names.ts'
import type { RunRow, RunStatus } from '../../ports/database/runs.ts'

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

export const firstOf = ([columns]: readonly RunColumns[]): RunRow | null =>
  columns === undefined ? null : toRow(columns)
