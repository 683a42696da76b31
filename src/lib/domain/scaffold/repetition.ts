import { createHash } from 'node:crypto'
import type { DatabaseFailure, RunRow, RunStore, SameRun } from '../../ports/database.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { ScaffoldRequest } from './request.ts'
import { readRun, type Run } from './run.ts'

/**
 * A request that was made before has its run already: the one with the same idempotency key, or the one that was going on with
 * the same request when this one arrived.
 */

const IDEMPOTENCY_MS = 24 * 60 * 60_000

type RepetitionStore = Pick<RunStore, 'findSame' | 'adoptKey'>

export type RepetitionFailure = { readonly kind: 'idempotency_key_reused' } | DatabaseFailure

/** What another request must be like to be the same as one that arrives now. */
export function askingOf(
  { issuer, subject }: Principal,
  request: ScaffoldRequest,
  idempotencyKey: string | null,
  now: number,
): SameRun {
  const idempotency =
    idempotencyKey === null ? null : { key: idempotencyKey, since: now - IDEMPOTENCY_MS }
  return { issuer, subject, requestHash: hashOf(request), since: now, idempotency }
}

/** Of what was asked for, however it was written. */
function hashOf({
  templateId,
  appName,
  team,
  namespace,
  description = '',
  features = {},
}: ScaffoldRequest): string {
  const { database = null, externalSecrets = null, ingress = null } = features
  const asked = [templateId, appName, team, namespace, description]
  const text = JSON.stringify([...asked, database, externalSecrets, ingress])
  return createHash('sha256').update(text).digest('hex')
}

/** The run that a request is a repetition of, if it is one. */
export async function findRepeated(
  store: RepetitionStore,
  asking: SameRun,
): Promise<Result<Run | null, RepetitionFailure>> {
  const same = await store.findSame(asking)
  if (!same.ok) return same
  return same.value === null ? ok(null) : join(store, same.value, asking)
}

/** With the key that it came with, if the run has none: the next request with that key is the same, too. */
export async function join(
  store: RepetitionStore,
  row: RunRow,
  { requestHash, idempotency }: SameRun,
): Promise<Result<Run, RepetitionFailure>> {
  if (row.requestHash !== requestHash) return err({ kind: 'idempotency_key_reused' })
  const run = readRun(row)
  if (idempotency === null || row.idempotencyKey !== null) return ok(run)
  const adopted = await store.adoptKey(row.id, idempotency.key)
  return adopted.ok ? ok(run) : adopted
}
