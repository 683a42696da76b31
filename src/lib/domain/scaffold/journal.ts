import type { RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunStatus } from '../../ports/database/runs.ts'
import { explain, type StepFailure } from './failure.ts'
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
import { noPauses, type Pause } from './waiting.ts'

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
  readonly clock: Clock
  readonly log: (event: JournalEvent) => void
  readonly records: Pick<RunRecords, 'ended'>
  /** Wakes the followers of the run. */
  readonly wakeFollowers: (id: RunId) => void
}

export type Journal = ReturnType<typeof createJournal>

/** Appends events to a run's journal. Every write returns `false` when the lease is lost; the caller must stop. */
export function createJournal(
  { store, clock, log, records, wakeFollowers }: JournalOptions,
  run: Run,
  holder: string,
) {
  let state = run.state

  async function append(
    next: RunState,
    events: readonly RunEvent[],
    {
      status = 'running',
      pausedUntil,
      failure = null,
    }: {
      readonly status?: RunStatus
      readonly pausedUntil?: number
      readonly failure?: RunEnd['failure']
    } = {},
  ): Promise<boolean> {
    const appended = await store.append(run.id, holder, {
      events: events.map(({ event, data }) => ({ event, data: JSON.stringify(data) })),
      state: writeState(next),
      status,
      at: clock.now(),
      ...(pausedUntil !== undefined && { pausedUntil }),
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
      const pauses = { ...noPauses, totalMs: state.pauses.totalMs }
      const next = { ...withStep(step, now), made: { ...state.made, ...made }, pauses }
      return append(next, [stepEvent(step, now)])
    },

    /** The end of an attempt that another one follows after a pause. Ends the lease. */
    pause(step: StepName, { until, message, pauses }: Pause): Promise<boolean> {
      const now = { status: 'in_progress', message } as const
      const next = { ...withStep(step, now), pauses }
      return append(next, [stepEvent(step, now)], { pausedUntil: until })
    },

    /** The end of the last attempt. */
    async fail(step: StepName, failure: StepFailure): Promise<void> {
      const { code, message, retry } = explain(failure)
      const now = { status: 'failed', message } as const
      const failed = { step, code, message, retryable: retry !== 'never' }
      const { repoUrl, prUrl } = state.made
      const data = { runId: run.id, ...failed, repoUrl, prUrl }
      const events = [stepEvent(step, now), { event: 'failed', data } as const]
      const next = { ...withStep(step, now), failed, pauses: noPauses }
      await append(next, events, { status: 'failed', failure: { code, step } })
    },

    /** The end of the run. */
    async done(): Promise<void> {
      const { repoUrl, prUrl, prNumber, prStatus } = state.made
      if (repoUrl === null || prUrl === null || prNumber === null || prStatus === null) {
        throw new Error('every step is complete, and a result is missing')
      }
      const data = { prStatus, repoUrl, prUrl, prNumber, runId: run.id }
      await append(state, [{ event: 'done', data }], { status: 'complete' })
    },
  }
}

const stepEvent = (step: StepName, { status, message }: StepState) =>
  ({ event: 'step', data: { step, status, message } }) as const
