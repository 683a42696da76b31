import { lazily } from '../../concurrency/lazily.ts'
import { onBehalfOf } from '../../concurrency/on-behalf-of.ts'
import type { RepositoryId, RunId } from '../../names.ts'
import type { GitHost, Head } from '../../ports/git-host.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  createJournal,
  type Journal,
  type JournalEvent,
  type JournalOptions,
} from '../runs/journal.ts'
import { CRASHES_MAX, type Waits } from '../runs/waiting.ts'
import { explain, type StepFailure } from './failure.ts'
import type { RunRecords } from './on-record.ts'
import { type PlanSource, type RunFiles, runFiles } from './plan.ts'
import { readRun, type Run, type RunResults, STEPS, type StepName } from './run.ts'
import type { RunActors } from './run-actors.ts'
import { repositoryOf } from './spec.ts'
import { steps } from './steps/index.ts'
import type { StepContext, StepOutcome, StepPorts } from './steps/step.ts'

export type WorkEvent =
  | JournalEvent
  | {
      readonly kind: 'step_failed'
      readonly run: RunId
      readonly step: StepName
      readonly failure: StepFailure
    }
  | { readonly kind: 'unexpected'; readonly run: RunId; readonly error: unknown }

export interface WorkOptions extends JournalOptions, PlanSource {
  readonly ports: StepPorts
  readonly store: Pick<RunLeases, 'append'>
  readonly gitopsRepository: RepositoryId
  readonly actors: Pick<RunActors, 'of'>
  readonly records: Pick<RunRecords, 'ended'>
  readonly log: (event: WorkEvent) => void
}

/**
 * Does the remaining steps of a run for the holder of its lease: to its end, until it has to pause, until the journal takes nothing
 * more, or until `stopping` aborts. The journal gets each step before its effect and after it. Answers `false` when the run neither ended
 * nor pauses; the lease, if it is not lost, is then to be released.
 */
export async function workOn(
  options: WorkOptions,
  row: RunRow,
  holder: string,
  stopping: AbortSignal,
): Promise<boolean> {
  const { log, ports } = options
  const run = readRun(row)
  const journal = createJournal(options, run, holder, (end) =>
    options.records.ended({ run, ...end }),
  )
  const reads = {
    ...runFiles(options, run.spec),
    repositoryHead: lazily(() => readRepository(ports.gitHost, repositoryOf(run.spec))),
  }
  for (const name of STEPS) {
    const status = journal.state().steps[name]?.status
    if (status === 'complete' || status === 'skipped') continue
    if (stopping.aborted) return false
    const waits = journal.waits()
    if (journal.crashes() > 0 && waits.attempts >= CRASHES_MAX) {
      return endAttempt(options, journal, run, name, { kind: 'run_interrupted' }, waits)
    }

    const context = contextOf(options, run, journal, reads)
    const step = steps[name]
    if (!(await journal.begin(name, step.announce(context)))) return false
    const outcome = await attempt(
      () => onBehalfOf(row.subject, () => step.run(context, ports)),
      row.id,
      log,
    )
    if (!outcome.ok) {
      const ended = { ...waits, attempts: waits.attempts + 1 }
      return endAttempt(options, journal, run, name, outcome.error, ended)
    }
    if (!(await journal.finish(name, outcome.value))) return false
  }
  return journal.done(doneData(journal.state().made))
}

/** Pauses the run, or fails it. */
async function endAttempt(
  { log }: WorkOptions,
  journal: Journal<RunResults>,
  { id }: Pick<Run, 'id'>,
  step: StepName,
  failure: StepFailure,
  waits: Waits,
): Promise<boolean> {
  if (failure.kind === 'run_lost') return false
  const explained = explain(failure)
  const isPaused = await journal.pause(step, failure, explained, waits)
  if (isPaused !== null) return isPaused
  log({ kind: 'step_failed', run: id, step, failure })
  const { repoUrl, prUrl } = journal.state().made
  return journal.fail(step, explained, { repoUrl, prUrl })
}

function doneData({ prStatus, repoUrl, prUrl, prNumber }: RunResults) {
  if (repoUrl === null || prUrl === null || prNumber === null || prStatus === null) {
    throw new Error('every step is complete, and a result is missing')
  }
  return { prStatus, repoUrl, prUrl, prNumber }
}

/** A bug in a step fails the run, which can be retried after a fix. */
async function attempt(
  run: () => Promise<Result<StepOutcome, StepFailure>>,
  id: RunId,
  log: WorkOptions['log'],
): Promise<Result<StepOutcome, StepFailure>> {
  try {
    return await run()
  } catch (error) {
    log({ kind: 'unexpected', run: id, error })
    return err({ kind: 'internal_error' })
  }
}

function contextOf(
  { gitopsRepository, actors }: WorkOptions,
  { id, spec }: Run,
  journal: Journal<RunResults>,
  reads: RunFiles & Pick<StepContext, 'repositoryHead'>,
): StepContext {
  const { name, email } = spec.createdBy
  return {
    runId: id,
    spec,
    made: journal.state().made,
    author: { name, email },
    secretActor: actors.of(id),
    repository: repositoryOf(spec),
    gitopsRepository,
    note: async (made) => ((await journal.note(made)) ? ok(undefined) : err({ kind: 'run_lost' })),
    ...reads,
  }
}

async function readRepository(
  gitHost: Pick<GitHost, 'head'>,
  repository: RepositoryId,
): Promise<Result<Head, StepFailure>> {
  const head = await gitHost.head(repository)
  if (head.ok) return head
  return head.error.kind === 'git_not_found' ? err({ kind: 'repository_gone' }) : head
}
