import type { RunId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunFilter, RunRow, RunStore } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise } from '../access/authorise.ts'
import { isPlatform, type Principal } from '../access/principal.ts'
import type { RunNotFound, Runs } from '../runs/runs.ts'
import type { RetryFailure } from './request-failure.ts'
import type { RunDecision, RunRecords } from './on-record.ts'
import { readRun, type Run } from './run.ts'
import type { RunActors } from './run-actors.ts'
import type { Caller, SecretRights } from './secret-right.ts'
import { scaffoldersOf } from './submit.ts'

export interface RunPage {
  readonly runs: readonly Run[]
  /** The last run of the page, when more follow. */
  readonly next: RunId | null
}
const NOT_RETRYABLE = { kind: 'run_not_retryable' } as const

export interface HistoryOptions {
  readonly store: Pick<RunStore, 'list' | 'reopen'> & Pick<RunLeases, 'endPause'>
  readonly runs: Pick<Runs, 'find' | 'sees'>
  readonly platformGroup: string
  readonly secretRights: Pick<SecretRights, 'require'>
  readonly records: Pick<RunRecords, 'decide'>
  readonly actors: Pick<RunActors, 'keep'>
  readonly wake: () => void
}

/** Empty for a run that a later version wrote: it must not hide the others. */
function readable(row: RunRow): readonly Run[] {
  try {
    return [readRun(row)]
  } catch {
    return []
  }
}

/** Whether the step that creates the secret entry is still to be done. */
function needsSecret({ spec, state }: Run): boolean {
  const status = state.steps['create_secret']?.status
  return spec.features.externalSecrets && status !== 'complete' && status !== 'skipped'
}

export function createHistory({
  store,
  runs,
  platformGroup,
  secretRights,
  records,
  actors,
  wake,
}: HistoryOptions) {
  async function find(
    principal: Principal,
    id: RunId,
  ): Promise<Result<Run, RunNotFound | DatabaseFailure>> {
    const found = await runs.find(principal, id)
    if (!found.ok) return found
    return found.value.kind === 'project'
      ? ok(readRun(found.value))
      : err({ kind: 'run_not_found' })
  }

  async function retryOnRecord(
    caller: Caller,
    run: Run,
    decision: RunDecision,
  ): Promise<Result<Run, RetryFailure>> {
    const { principal } = caller
    const { id } = run
    const allowed = authorise(principal, scaffoldersOf(run.spec.team, platformGroup))
    if (!allowed.ok) return allowed
    const isRunning = run.status === 'running'
    if (!isRunning && run.state.failed?.retryable !== true) return err(NOT_RETRYABLE)
    const begun = await decision.begin(run, allowed.value)
    if (!begun.ok) return begun
    if (isRunning) {
      const ended = await store.endPause(id)
      if (!ended.ok) return ended
      wake()
      await decision.joined(id)
      return ok(run)
    }
    const right = needsSecret(run) ? await secretRights.require(caller, run.spec) : ok(null)
    if (!right.ok) return right
    const takeBack = right.value && actors.keep(id, right.value)
    const reopened = await store.reopen(id)
    if (!reopened.ok) return reopened
    if (!reopened.value) {
      takeBack?.()
      return err(NOT_RETRYABLE)
    }
    wake()
    return ok({ ...run, status: 'running' })
  }

  return {
    find,

    /** A page, newest first. */
    async list(
      principal: Principal,
      { limit, ...filter }: Omit<RunFilter, 'kind' | 'person'>,
    ): Promise<Result<RunPage, DatabaseFailure>> {
      const { issuer, subject } = principal
      const person = isPlatform(principal, platformGroup) ? null : { issuer, subject }
      const found = await store.list({ kind: 'project', person, ...filter, limit: limit + 1 })
      if (!found.ok) return found
      const page = found.value.slice(0, limit)
      const next = found.value.length > limit ? (page.at(-1)?.id ?? null) : null
      const seen = page.filter((row) => runs.sees(principal, row))
      return ok({ runs: seen.flatMap(readable), next })
    },

    /** Resumes a failed run at the step that failed, or a waiting run at once. */
    async retry(caller: Caller, id: RunId): Promise<Result<Run, RetryFailure>> {
      const found = await find(caller.principal, id)
      // No record of an unknown run: anybody can make ids up.
      if (!found.ok) return found
      const decision = records.decide(caller, 'scaffold.retry', found.value.spec)
      const retried = await retryOnRecord(caller, found.value, decision)
      if (!retried.ok) await decision.refused(retried.error)
      return retried
    },
  }
}
