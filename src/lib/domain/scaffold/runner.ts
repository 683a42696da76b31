import type { RepositoryId, RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunRow, RunStore } from '../../ports/database.ts'
import { err, ok, type Result } from '../../result.ts'
import { explain, type StepFailure } from './failure.ts'
import { planGitops, planRepository, type PlanSource } from './plan.ts'
import {
  readRun,
  type Made,
  type Run,
  type RunEvent,
  type RunState,
  STEPS,
  type StepName,
  writeState,
} from './run.ts'
import { repositoryOf } from './spec.ts'
import { steps } from './steps/index.ts'
import type { StepContext, StepOutcome, StepPorts } from './steps/step.ts'
import type { Template } from './template.ts'
import { loadTemplates } from './templates.ts'

/** How long a run is held without a sign of life. Longer than a step's slowest effect takes to be told. */
const LEASE_MS = 15_000
const RUNS_AT_ONCE_MAX = 16
/** A run that ends the process every time must not do so for ever. */
const ATTEMPTS_MAX = 5
/** How often it is looked for runs that somebody left, in parts of a lease. */
const LOOKS_PER_LEASE = 15
const CLOSE_DEADLINE_MS = 500

export interface RunnerOptions extends PlanSource {
  readonly ports: StepPorts
  readonly store: Pick<RunStore, 'claim' | 'renew' | 'release' | 'append'>
  readonly gitopsRepository: RepositoryId
  readonly clock: Clock
  readonly log: (event: RunnerEvent) => void
  readonly changed: (id: RunId) => void
  readonly leaseMs?: number
}

export type RunnerEvent =
  | {
      readonly kind: 'run_ended'
      readonly run: RunId
      readonly code: string
      readonly attempts: number
    }
  | {
      readonly kind: 'step_failed'
      readonly run: RunId
      readonly step: StepName
      readonly failure: StepFailure
    }
  | { readonly kind: 'run_lost'; readonly run: RunId; readonly reason: string }
  | { readonly kind: 'unexpected'; readonly run: RunId; readonly error: unknown }

export interface Runner {
  /** Looks for runs that nobody holds now, instead of at the next look. */
  readonly wake: () => void
  start(): void
  /** Takes no more, and gives back what it has after the step at work. */
  drain(): void
  /** Waits for the steps at work, but not for ever: what they leave is found again when their lease is over. */
  close(): Promise<void>
}

/**
 * Works on runs, whoever asked for them: those just started, and those of a process that died. A step is told to the journal
 * before its effect and after it, and only by who holds the run.
 */
export function createRunner(options: RunnerOptions): Runner {
  const { store, clock, log, leaseMs = LEASE_MS } = options
  const working = new Set<Promise<void>>()
  let timer: Timer | undefined
  let looking: Promise<void> | undefined
  let isLookDue = false
  const closed = new AbortController()

  async function lookAll(): Promise<void> {
    do {
      isLookDue = false
      while (!closed.signal.aborted && working.size < RUNS_AT_ONCE_MAX) {
        const holder = crypto.randomUUID()
        const now = clock.now()
        const claimed = await store.claim({ holder, until: now + leaseMs }, now)
        if (!claimed.ok || claimed.value === null) break
        const work = hold(claimed.value, holder).finally(() => {
          working.delete(work)
          wake()
        })
        working.add(work)
      }
    } while (isLookDue)
  }

  function wake(): void {
    if (closed.signal.aborted) return
    isLookDue = true
    looking ??= lookAll().finally(() => {
      looking = undefined
      if (isLookDue) wake()
    })
  }

  async function hold(row: RunRow, holder: string): Promise<void> {
    const renewal = setInterval(() => {
      void store.renew(row.id, { holder, until: clock.now() + leaseMs })
    }, leaseMs / 3)
    try {
      await work(row, holder)
    } catch (error) {
      // The run stays held until the lease is over, so that a bug does not become a busy loop.
      log({ kind: 'unexpected', run: row.id, error })
    } finally {
      clearInterval(renewal)
    }
  }

  async function work(row: RunRow, holder: string): Promise<void> {
    const run = readRun(row)
    const journal = createJournal(options, run, holder)
    const files = filesOf(options, run)
    for (const name of STEPS) {
      const known = journal.state().steps[name]?.status
      if (known === 'complete' || known === 'skipped') continue
      if (closed.signal.aborted) {
        await store.release(row.id, holder)
        return
      }
      if (row.attempts > ATTEMPTS_MAX) return journal.fail(name, { kind: 'run_interrupted' })

      const context = contextOf(options, run, journal, files)
      const step = steps[name]
      if (!(await journal.step(name, 'in_progress', step.announce(context)))) return
      const outcome = await attempt(() => step.run(context, options.ports), row.id)
      if (!outcome.ok && outcome.error.kind === 'run_lost') return
      if (!outcome.ok) {
        log({ kind: 'step_failed', run: row.id, step: name, failure: outcome.error })
        return journal.fail(name, outcome.error)
      }
      if (!(await journal.finish(name, outcome.value))) return
    }
    await journal.done()
  }

  /** A bug in a step ends the run like any other failure, and can be retried when it is mended. */
  async function attempt(
    run: () => Promise<Result<StepOutcome, StepFailure>>,
    id: RunId,
  ): Promise<Result<StepOutcome, StepFailure>> {
    try {
      return await run()
    } catch (error) {
      log({ kind: 'unexpected', run: id, error })
      return err({ kind: 'internal_error' })
    }
  }

  function drain(): void {
    closed.abort()
    clearInterval(timer)
  }

  return {
    wake,
    start() {
      timer = setInterval(wake, leaseMs / LOOKS_PER_LEASE)
      wake()
    },
    drain,
    async close() {
      drain()
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS)
      await Promise.race([Promise.all([looking, ...working]), deadline.promise])
      clearTimeout(timer)
    },
  }
}

/** Writes what happens to a run. Answers `false` when it is not ours any more: then nothing more may be done. */
function createJournal({ store, clock, log, changed }: RunnerOptions, run: Run, holder: string) {
  let state = run.state

  async function append(
    next: RunState,
    events: readonly RunEvent[],
    status: 'running' | 'complete' | 'failed' = 'running',
  ): Promise<boolean> {
    const appended = await store.append(run.id, holder, {
      events: events.map(({ event, data }) => ({ event, data: JSON.stringify(data) })),
      state: writeState(next),
      status,
      at: clock.now(),
    })
    if (!appended.ok || !appended.value) {
      const reason = appended.ok ? 'held by another' : appended.error.reason
      log({ kind: 'run_lost', run: run.id, reason })
      return false
    }
    state = next
    changed(run.id)
    return true
  }

  const stepEvent = (
    step: StepName,
    status: 'in_progress' | StepOutcome['kind'] | 'failed',
    message: string,
  ) => ({ event: 'step', data: { step, status, message } }) as const

  return {
    state: () => state,

    step: (name: StepName, status: 'in_progress', message: string) =>
      append({ ...state, steps: { ...state.steps, [name]: { status, message } }, failed: null }, [
        stepEvent(name, status, message),
      ]),

    note: (made: Partial<Made>) => append({ ...state, made: { ...state.made, ...made } }, []),

    finish: (name: StepName, { kind, message, made }: StepOutcome) =>
      append(
        {
          ...state,
          steps: { ...state.steps, [name]: { status: kind, message } },
          made: { ...state.made, ...made },
        },
        [stepEvent(name, kind, message)],
      ),

    async fail(name: StepName, failure: StepFailure): Promise<void> {
      const { code, message, retryable } = explain(failure)
      const failed = { step: name, code, message, retryable }
      const { repoUrl, prUrl } = state.made
      const next = {
        ...state,
        steps: { ...state.steps, [name]: { status: 'failed' as const, message } },
        failed,
      }
      const events = [
        stepEvent(name, 'failed', message),
        { event: 'failed', data: { runId: run.id, ...failed, repoUrl, prUrl } } as const,
      ]
      if (await append(next, events, 'failed'))
        log({ kind: 'run_ended', run: run.id, code, attempts: run.attempts })
    },

    async done(): Promise<void> {
      const { repoUrl, prUrl, prNumber, prStatus } = state.made
      if (repoUrl === null || prUrl === null || prNumber === null || prStatus === null) {
        throw new Error('every step is complete and something was not made')
      }
      const data = { prStatus, repoUrl, prUrl, prNumber, runId: run.id }
      if (await append(state, [{ event: 'done', data }], 'complete')) {
        log({ kind: 'run_ended', run: run.id, code: 'complete', attempts: run.attempts })
      }
    },
  }
}

type Files = Pick<StepContext, 'repositoryFiles' | 'gitopsFiles'>

function contextOf(
  { gitopsRepository }: RunnerOptions,
  { id, spec }: Run,
  journal: ReturnType<typeof createJournal>,
  files: Files,
): StepContext {
  const { name, email } = spec.createdBy
  return {
    runId: id,
    spec,
    made: journal.state().made,
    author: { name, email },
    repository: repositoryOf(spec),
    gitopsRepository,
    note: async (made) => ((await journal.note(made)) ? ok(undefined) : err({ kind: 'run_lost' })),
    ...files,
  }
}

/** Rendered from the commit that the run was pinned to, whatever the template has become since. */
function filesOf(options: RunnerOptions, { spec }: Run): Files {
  const template = once(async (): Promise<Result<Template, StepFailure>> => {
    const { gitHost, templatesRepository } = options
    const listed = await loadTemplates(gitHost, templatesRepository, spec.templateRevision)
    if (!listed.ok) {
      const isGone = listed.error.kind === 'git_not_found'
      return isGone ? err({ kind: 'template_gone' }) : listed
    }
    const found = listed.value.templates.find(({ id }) => id === spec.templateId)
    return found === undefined ? err({ kind: 'template_gone' }) : ok(found)
  })
  return {
    repositoryFiles: once(async () => {
      const found = await template()
      return found.ok ? planRepository(options, spec, found.value) : found
    }),
    gitopsFiles: once(async () => {
      if (!spec.templateHasBase) return planGitops(options, spec, null)
      const found = await template()
      return found.ok ? planGitops(options, spec, found.value) : found
    }),
  }
}

/** A failure is asked for again: the next step may have better luck. */
function once<Value, Failure>(
  make: () => Promise<Result<Value, Failure>>,
): () => Promise<Result<Value, Failure>> {
  let made: Value | undefined
  return async () => {
    if (made !== undefined) return ok(made)
    const result = await make()
    if (result.ok) made = result.value
    return result
  }
}
