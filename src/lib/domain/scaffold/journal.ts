import type { RunId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { RunEntry, RunLeases } from '../../ports/database/run-leases.ts'
import { explain, type StepFailure } from './failure.ts'
import { LEASE_MS } from './lease-watch.ts'
import type { RunEnd, RunRecords } from './on-record.ts'
import {
  type RunResults,
  type Run,
  type RunEvent,
  type RunState,
  type StepName,
  type StepState,
  writeState,
} from './run.ts'
import type { StepOutcome } from './steps/step.ts'
import { noWaits, type Pause, type Waits } from './waiting.ts'

/** Before an entry is written again that the database did not take. */
const REPEAT_MS = 250

export type JournalEvent =
  | {
      readonly kind: 'run_ended'
      readonly run: RunId
      readonly code: string
      readonly attempts: number
    }
  | { readonly kind: 'run_lost'; readonly run: RunId; readonly reason: string }

export interface JournalOptions {
  readonly store: Pick<RunLeases, 'append'>
  readonly clock: SteadyClock
  readonly leaseMs?: number
  readonly log: (event: JournalEvent) => void
  readonly records: Pick<RunRecords, 'ended'>
  /** Wakes the followers of the run. */
  readonly wakeFollowers: (id: RunId) => void
}

export type Journal = ReturnType<typeof createJournal>

/**
 * Appends events to a run's journal. Every write returns `false` when the lease is lost, or when the database has not taken it for as
 * long as a lease; the caller must stop.
 */
export function createJournal(
  { store, clock, log, records, wakeFollowers, leaseMs = LEASE_MS }: JournalOptions,
  run: Run,
  holder: string,
) {
  let state = run.state
  let crashes = run.attempts - 1

  async function write(entry: RunEntry) {
    const givenUpAt = clock.elapsed() + leaseMs
    for (;;) {
      const written = await store.append(run.id, holder, entry)
      if (written.ok || clock.elapsed() >= givenUpAt) return written
      await Bun.sleep(REPEAT_MS)
    }
  }

  async function append(
    next: RunState,
    events: readonly RunEvent[],
    {
      failure = null,
      ...more
    }: Partial<Pick<RunEntry, 'status' | 'attempts' | 'pausedUntil'>> & {
      readonly failure?: RunEnd['failure']
    } = {},
  ): Promise<boolean> {
    const status = more.status ?? 'running'
    const appended = await write({
      events: events.map(({ event, data }) => ({ event, data: JSON.stringify(data) })),
      state: writeState(next),
      at: clock.now(),
      ...more,
      status,
    })
    if (!appended.ok || !appended.value) {
      const reason = appended.ok ? 'held by another' : appended.error.reason
      log({ kind: 'run_lost', run: run.id, reason })
      return false
    }
    state = next
    if (status !== 'running') {
      const code = failure?.code ?? 'complete'
      log({ kind: 'run_ended', run: run.id, code, attempts: run.attempts })
      // Before anybody hears of the end.
      await records.ended({ run, made: next.made, failure })
    }
    wakeFollowers(run.id)
    return true
  }

  const withStep = (step: StepName, now: StepState): RunState => ({
    ...state,
    steps: { ...state.steps, [step]: now },
  })

  return {
    state: () => state,

    /** Attempts at the current step before this one that ended with their processes. */
    crashes: () => crashes,

    /** Attempts at the current step before this one. */
    waits: (): Waits => ({ ...state.waits, attempts: state.waits.attempts + crashes }),

    /** Before the effect of a step. Clears the failure of an earlier attempt. */
    begin(step: StepName, message: string): Promise<boolean> {
      const now = { status: 'in_progress', message } as const
      return append({ ...withStep(step, now), failed: null }, [stepEvent(step, now)])
    },

    /** Within a step, right before an effect. */
    note: (made: Partial<RunResults>) => append({ ...state, made: { ...state.made, ...made } }, []),

    /** After the effect of a step. */
    finish(step: StepName, { kind: status, message, made }: StepOutcome): Promise<boolean> {
      const now = { status, message }
      const waits = { ...state.waits, attempts: 0 }
      const next = { ...withStep(step, now), made: { ...state.made, ...made }, waits }
      crashes = 0
      return append(next, [stepEvent(step, now)], { attempts: 1 })
    },

    /** The end of an attempt that another one follows after a pause. Ends the lease. */
    pause(step: StepName, { until, message, waits }: Pause): Promise<boolean> {
      const now = { status: 'in_progress', message } as const
      const next = { ...withStep(step, now), waits }
      return append(next, [stepEvent(step, now)], { attempts: 0, pausedUntil: until })
    },

    /** The end of the last attempt. */
    fail(step: StepName, failure: StepFailure): Promise<boolean> {
      const { code, message, retry } = explain(failure)
      const now = { status: 'failed', message } as const
      const failed = { step, code, message, retryable: retry !== 'never' }
      const { repoUrl, prUrl } = state.made
      const data = { runId: run.id, ...failed, repoUrl, prUrl }
      const events = [stepEvent(step, now), { event: 'failed', data } as const]
      const next = { ...withStep(step, now), failed, waits: noWaits }
      return append(next, events, { status: 'failed', failure: { code, step } })
    },

    /** The end of the run. */
    async done(): Promise<boolean> {
      const { repoUrl, prUrl, prNumber, prStatus } = state.made
      if (repoUrl === null || prUrl === null || prNumber === null || prStatus === null) {
        throw new Error('every step is complete, and a result is missing')
      }
      const data = { prStatus, repoUrl, prUrl, prNumber, runId: run.id }
      return append(state, [{ event: 'done', data }], { status: 'complete' })
    },
  }
}

const stepEvent = (step: StepName, { status, message }: StepState) =>
  ({ event: 'step', data: { step, status, message } }) as const
