import type { RunId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { RunEntry, RunLeases } from '../../ports/database/run-leases.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { LEASE_MS } from './lease-watch.ts'
import { type RunEvent, type RunState, type StepState, writeState } from './state.ts'
import { type Explanation, noWaits, pauseAfter, type Waits } from './waiting.ts'

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
  /** The run is tried again at `until`. */
  | {
      readonly kind: 'run_paused'
      readonly run: RunId
      readonly step: string
      readonly failure: { readonly kind: string }
      readonly until: string
    }

export interface JournalOptions {
  readonly store: Pick<RunLeases, 'append'>
  readonly clock: SteadyClock
  readonly leaseMs?: number
  readonly log: (event: JournalEvent) => void
  /** Wakes the followers of the run. */
  readonly wakeFollowers: (id: RunId) => void
}

/** The end of a run. */
export interface RunEnd<Made> {
  readonly made: Made
  /** `null`: the run is complete. */
  readonly failure: { readonly code: string; readonly step: string } | null
}

interface StepEnd<Made> {
  readonly kind: 'complete' | 'skipped'
  readonly message: string
  readonly made?: Partial<Made>
}

export type Journal<Made extends object> = ReturnType<typeof createJournal<Made>>

/**
 * Appends events to a run's journal. Every write returns `false` when the lease is lost, or when the database has not taken it for as
 * long as a lease; the caller must stop.
 */
export function createJournal<Made extends object>(
  { store, clock, log, wakeFollowers, leaseMs = LEASE_MS }: JournalOptions,
  run: Pick<RunRow, 'id' | 'attempts'> & { readonly state: RunState<Made> },
  holder: string,
  /** Told of the end before anybody else hears of it. */
  onEnd?: (end: RunEnd<Made>) => Promise<unknown>,
) {
  let state = run.state
  let outage: DatabaseFailure | null = null
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
    next: RunState<Made>,
    events: readonly RunEvent[],
    {
      failure = null,
      ...more
    }: Partial<Pick<RunEntry, 'status' | 'attempts' | 'pausedUntil'>> & {
      readonly failure?: RunEnd<Made>['failure']
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
    outage = appended.ok ? null : appended.error
    if (!appended.ok || !appended.value) {
      const reason = appended.ok ? 'held by another' : appended.error.reason
      log({ kind: 'run_lost', run: run.id, reason })
      return false
    }
    state = next
    if (status !== 'running') {
      const code = failure?.code ?? 'complete'
      log({ kind: 'run_ended', run: run.id, code, attempts: run.attempts })
      await onEnd?.({ made: next.made, failure })
    }
    wakeFollowers(run.id)
    return true
  }

  const withStep = (step: string, now: StepState): RunState<Made> => ({
    ...state,
    steps: { ...state.steps, [step]: now },
  })

  function ended(step: string, { kind: status, message, made }: StepEnd<Made>) {
    const now = { status, message }
    const waits = { ...state.waits, attempts: 0 }
    const next = { ...withStep(step, now), made: { ...state.made, ...made }, waits }
    return { next, event: stepEvent(step, now) }
  }

  return {
    state: () => state,

    /** Why the database did not take the last write. `null`: it took it, or the lease was lost. */
    outage: () => outage,

    /** Attempts at the current step before this one that ended with their processes. */
    crashes: () => crashes,

    /** Attempts at the current step before this one. */
    waits: (): Waits => ({ ...state.waits, attempts: state.waits.attempts + crashes }),

    /** Before the effect of a step. Clears the failure of an earlier attempt. */
    begin(step: string, message: string, made: Partial<Made> = {}): Promise<boolean> {
      const now = { status: 'in_progress', message } as const
      const next = { ...withStep(step, now), made: { ...state.made, ...made }, failed: null }
      return append(next, [stepEvent(step, now)])
    },

    /** Within a step, right before an effect. */
    note: (made: Partial<Made>) => append({ ...state, made: { ...state.made, ...made } }, []),

    /** After the effect of a step. */
    finish(step: string, end: StepEnd<Made>): Promise<boolean> {
      const { next, event } = ended(step, end)
      crashes = 0
      return append(next, [event], { attempts: 1 })
    },

    /**
     * The end of an attempt in vain that another one follows after a pause, which ends before `latest`. Ends the lease. `null`: a person
     * has to settle the failure, and nothing is written. `waits`: with this attempt.
     */
    async pause(
      step: string,
      failure: { readonly kind: string },
      explained: Explanation,
      waits: Waits,
      latest = Infinity,
    ): Promise<boolean | null> {
      const pause = pauseAfter(explained, waits, clock.now())
      if (pause === null || pause.until >= latest) return null
      const now = { status: 'in_progress', message: pause.message } as const
      const next = { ...withStep(step, now), waits: pause.waits }
      const ended = { attempts: 0, pausedUntil: pause.until }
      const isPaused = await append(next, [stepEvent(step, now)], ended)
      const until = new Date(pause.until).toISOString()
      if (isPaused) log({ kind: 'run_paused', run: run.id, step, failure, until })
      return isPaused
    },

    /** The end of the last attempt. `facts` are those of the event besides the failure. */
    fail(
      step: string,
      { code, message, retry }: Omit<Explanation, 'limitMs'>,
      facts: object,
    ): Promise<boolean> {
      const now = { status: 'failed', message } as const
      const failed = { step, code, message, retryable: retry !== 'never' }
      const data = { runId: run.id, ...failed, ...facts }
      const events = [stepEvent(step, now), { event: 'failed', data } as const]
      const next = { ...withStep(step, now), failed, waits: noWaits }
      return append(next, events, { status: 'failed', failure: { code, step } })
    },

    /** The end of the run; with `last` that of its last step too, so that no process finds the one without the other. */
    done(
      data: object,
      last?: { readonly step: string; readonly end: StepEnd<Made> },
    ): Promise<boolean> {
      const step = last && ended(last.step, last.end)
      const event = { event: 'done', data: { ...data, runId: run.id } } as const
      return append(step?.next ?? state, [...(step ? [step.event] : []), event], {
        status: 'complete',
      })
    },
  }
}

const stepEvent = (step: string, { status, message }: StepState) =>
  ({ event: 'step', data: { step, status, message } }) as const
