import { setTimeout as sleep } from 'node:timers/promises'
import { onBehalfOf } from '../../concurrency/on-behalf-of.ts'
import { type BranchName, RunId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunRow, RunStore } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { type Audit, resumedDecision } from '../audit/audit.ts'
import type { Decision } from '../audit/decision.ts'
import { upstreamOf } from '../audit/upstream.ts'
import { createJournal, type JournalEvent } from '../runs/journal.ts'
import { LEASE_MS } from '../runs/lease-watch.ts'
import { createRunner } from '../runs/runner.ts'
import type { RunNotFound, Runs } from '../runs/runs.ts'
import { newState, writeState } from '../runs/state.ts'
import { CRASHES_MAX, type Explanation } from '../runs/waiting.ts'
import type { Principal } from '../access/principal.ts'
import type { MoveFailure } from './failure.ts'
import {
  aboutOf,
  type FinishedMove,
  hashOf,
  isAccepted,
  labelOf,
  type MoveResults,
  type MoveSpec,
  NOTHING,
  readMove,
  type StoredMove,
} from './move-run.ts'
import { entityTarget } from './request-audit.ts'

/** Longer than a lease: a request that comes right after its process died gets through. */
const WAIT_MAX_MS = 10_000
const POLL_MS = 100
/** A request is answered with its run when the move is not finished by then. */
const PATIENCE_MS = 10_000
/** Age up to which a move goes on. Later its pull request would surprise the person who asked for it. */
const AGE_MAX_MS = 2 * 60 * 60_000

/** Failures after which a later attempt may succeed. */
const PASSING = new Set<MoveFailure['kind']>([
  'git_host_unreachable',
  'git_host_timeout',
  'git_host_error',
  'git_rate_limited',
  'git_conflict',
  'git_branch_exists',
  'catalog_loading',
  'catalog_parser_failed',
  'change_in_progress',
  'database_unavailable',
])

const INTERRUPTED: Explanation = {
  code: 'run_interrupted',
  message: 'The service stopped in the middle',
  retry: 'by_itself',
  limitMs: 0,
}
const BUG = {
  code: 'internal_error',
  message: 'Something unexpected went wrong',
  retry: 'never',
} as const

/** Facts of the event `failed`: the same schema describes that of a project, which has pages. */
const NO_PAGES = { repoUrl: null, prUrl: null }

const IN_PROGRESS = err({ kind: 'change_in_progress' } as const)

/** The error of a request that is answered with 202 and the id of its run: the move goes on by itself, and its run tells how it ends. */
export interface Waiting {
  readonly kind: 'waiting'
  readonly runId: RunId
  /** An earlier request began it. */
  readonly isJoined: boolean
}

const waitingFor = (runId: RunId, isJoined: boolean) =>
  err({ kind: 'waiting', runId, isJoined } as const)

/** The run of a move for whoever carries it out. While it is held nobody else changes the application in that environment. */
export interface MoveRun {
  readonly id: RunId
  /** Whether others had the lock since the request: what was read before may be out of date. */
  readonly hasWaited: boolean
  /** The pull request that an attempt before this one may have opened: its branch, and when the move began. */
  readonly mayHaveOpened: { readonly head: BranchName; readonly since: number } | null
  /** Version of the secret entry that an attempt before this one has written. */
  readonly secretVersion: number | null
  /** Right before the first effect on the git host: from now on the move is finished by itself. Fails when the lease is lost. */
  accept(made: Pick<MoveResults, 'branch' | 'secretVersion'>): Promise<Result<void, MoveFailure>>
  /** Whether the move goes on after this failure. */
  goesOnAfter(failure: MoveFailure): boolean
}

export type MoveRunEvent =
  JournalEvent | { readonly kind: 'unexpected'; readonly run: RunId; readonly error: unknown }

export interface MoveRunsOptions {
  readonly store: Pick<RunStore, 'start' | 'discard'> & RunLeases
  readonly runs: Pick<Runs, 'find' | 'wakeFollowers'>
  readonly audit: Pick<Audit, 'finish'>
  readonly clock: SteadyClock
  readonly leaseMs?: number
  readonly log: (event: MoveRunEvent) => void
  /** Code and message that a failure has for people. */
  readonly explain: (failure: MoveFailure) => { readonly code: string; readonly message: string }
  /** Plans the move anew and carries it out. */
  readonly resume: (
    spec: MoveSpec,
    run: MoveRun,
    decision: Decision,
  ) => Promise<Result<FinishedMove, MoveFailure>>
}

export type MoveRuns = ReturnType<typeof createMoveRuns>

/**
 * Moves as runs, which are their locks as well: one at a time for each application and environment, over all replicas. A process that
 * stalls for longer than a lease may lose one without noticing: each effect is a compare-and-swap besides.
 */
export function createMoveRuns(options: MoveRunsOptions) {
  const { store, clock, audit, leaseMs = LEASE_MS } = options

  /**
   * One attempt at a move, from its first check to its last entry in the journal. `isSettled`: the run ended or pauses; otherwise its
   * lease is to be released. `result` is for the request of the first attempt; later attempts have nobody to answer.
   */
  async function carry<Value extends FinishedMove>(
    move: Omit<StoredMove, 'status' | 'finishedAt'> & Pick<MoveRun, 'hasWaited'>,
    holder: string,
    decision: Decision,
    work: (run: MoveRun) => Promise<Result<Value, MoveFailure>>,
    onAccepted?: () => void,
  ) {
    const { id, attempts, createdAt, spec, state, hasWaited } = move
    const { step } = spec
    const waiting = waitingFor(id, false)
    const journal = createJournal<MoveResults>(
      { ...options, wakeFollowers: options.runs.wakeFollowers },
      { id, attempts, state },
      holder,
    )
    const wasAccepted = isAccepted(state, spec)
    let isAcceptedNow = wasAccepted
    const announced = `${step === 'propose' ? 'Proposing' : 'Confirming'} ${labelOf(spec)}`
    const begin = (made: Partial<MoveResults> = {}) => journal.begin(step, announced, made)

    /** `false`: the move is too old for another attempt after the pause. `true` also without the lease, when others go on with it. */
    async function pauseFor(
      failure: MoveFailure | { readonly kind: 'run_interrupted' },
      explained: Explanation,
    ): Promise<boolean> {
      const { attempts, totalMs } = journal.waits()
      const waits = { attempts: attempts + 1, totalMs }
      const isWritten = await journal.pause(step, failure, explained, waits, createdAt + AGE_MAX_MS)
      if (isWritten === true) await decision.note(upstreamOf(failure))
      return isWritten !== null
    }

    if (wasAccepted) {
      if (clock.now() >= createdAt + AGE_MAX_MS) {
        await decision.abandon(INTERRUPTED.code)
        const isSettled = await journal.fail(step, { ...INTERRUPTED, retry: 'never' }, NO_PAGES)
        return { result: IN_PROGRESS, isSettled }
      }
      if (journal.crashes() > 0 && journal.waits().attempts >= CRASHES_MAX) {
        const isPausing = await pauseFor({ kind: 'run_interrupted' }, INTERRUPTED)
        if (isPausing) return { result: waiting, isSettled: true }
      }
      if (!(await begin())) return { result: waiting, isSettled: false }
    }
    const goesOnAfter = ({ kind }: MoveFailure) => isAcceptedNow && PASSING.has(kind)
    const { branch: head, secretVersion } = state.made
    let result: Result<Value, MoveFailure>
    try {
      result = await decision.attempt(() =>
        work({
          id,
          hasWaited,
          mayHaveOpened: head && { head, since: createdAt },
          secretVersion,
          goesOnAfter,
          async accept(made) {
            const { branch } = journal.state().made
            if (isAcceptedNow && (made.branch === null || made.branch === branch))
              return ok(undefined)
            const isTaken = isAcceptedNow
              ? await journal.note({ branch: made.branch })
              : await begin(made)
            if (!isTaken) return err(journal.outage() ?? { kind: 'change_in_progress' })
            if (!isAcceptedNow) onAccepted?.()
            isAcceptedNow = true
            return ok(undefined)
          },
        }),
      )
    } catch (bug) {
      if (isAcceptedNow) await journal.fail(step, BUG, NO_PAGES)
      else await store.discard(id, holder)
      throw bug
    }
    if (!isAcceptedNow) {
      if (!result.ok) await decision.abandon(result.error.kind, upstreamOf(result.error))
      const discarded = await store.discard(id, holder)
      return { result, isSettled: discarded.ok }
    }
    if (result.ok) {
      const { kind, status, pullRequest, commit } = result.value.outcome
      const { url: prUrl = null, number: prNumber = null } = pullRequest ?? {}
      const made = { kind, status, prUrl, prNumber, commit }
      const proposed = prNumber === null ? '' : `, pull request ${prNumber}`
      const end = { kind: 'complete', message: `${labelOf(spec)}${proposed}`, made } as const
      const isSettled = await journal.done(made, { step, end })
      return { result, isSettled }
    }
    const { error } = result
    const explained = options.explain(error)
    const limitMs = 'retryAfterSeconds' in error ? error.retryAfterSeconds * 1_000 : 0
    const isPausing =
      goesOnAfter(error) && (await pauseFor(error, { ...explained, retry: 'by_itself', limitMs }))
    if (isPausing) return { result: waiting, isSettled: true }
    await decision.abandon(error.kind, upstreamOf(error))
    const isSettled = await journal.fail(step, { ...explained, retry: 'never' }, NO_PAGES)
    return { result, isSettled }
  }

  /** Continues a move whose process died, or whose pause is over. */
  async function resume(row: RunRow, holder: string): Promise<boolean> {
    const move = readMove(row)
    const { spec, state } = move
    const rows = { target: entityTarget(spec), action: 'promotion' }
    const decision = resumedDecision(audit, rows, row.id)
    if (!isAccepted(state, spec)) {
      await decision.abandon('run_interrupted')
      return (await store.discard(row.id, holder)).ok
    }
    const carried = await onBehalfOf(row.subject, () =>
      carry({ ...move, hasWaited: true }, holder, decision, (run) =>
        options.resume(spec, run, decision),
      ),
    )
    return carried.isSettled
  }

  const onBug = (run: RunId, error: unknown) => options.log({ kind: 'unexpected', run, error })
  const runner = createRunner({ ...options, kind: 'move', work: resume, onBug })

  /** Starts the run of a request, once nobody else changes the application in that environment. */
  async function open(spec: MoveSpec, isAsync: boolean) {
    const givenUpAt = clock.elapsed() + WAIT_MAX_MS
    const id = RunId.of(Bun.randomUUIDv7())
    const holder = crypto.randomUUID()
    const { issuer, subject } = spec.by
    const asked = { issuer, subject, requestHash: hashOf(spec) }
    // One that has ended is asked for again.
    const same = { ...asked, since: Number.MAX_SAFE_INTEGER, idempotency: null }
    await runner.ready()
    for (let hasWaited = false; ; hasWaited = true) {
      const run = {
        ...asked,
        id,
        kind: 'move' as const,
        team: spec.team,
        about: aboutOf(spec),
        request: JSON.stringify(spec),
        state: writeState(newState(NOTHING)),
        idempotencyKey: null,
        createdAt: clock.now(),
      }
      const lease = { holder, until: clock.now() + leaseMs }
      const started = await store.start(run, same, { lease })
      if (!started.ok) return started
      if (started.value.kind === 'started')
        return ok({ id, holder, createdAt: run.createdAt, hasWaited })
      // Another run has the lock. The same request joins it; any other waits for its end.
      const isOver = clock.elapsed() >= givenUpAt
      if (started.value.kind === 'same') {
        const earlier = readMove(started.value.run)
        const hasPaused = earlier.state.waits.totalMs > 0
        if ((isOver || hasPaused || isAsync) && isAccepted(earlier.state, earlier.spec)) {
          return waitingFor(earlier.id, true)
        }
      }
      if (isOver) return IN_PROGRESS
      await sleep(POLL_MS)
    }
  }

  return {
    ...runner,

    async find(
      principal: Principal,
      id: RunId,
    ): Promise<Result<StoredMove, RunNotFound | DatabaseFailure>> {
      const found = await options.runs.find(principal, id)
      if (!found.ok) return found
      return found.value.kind === 'move'
        ? ok(readMove(found.value))
        : err({ kind: 'run_not_found' })
    },

    /**
     * Works while no other process holds the lock, for which it waits for ten seconds at most. Answers with the run if the move is not
     * finished in the patience of a request; `isAsync`: as soon as it is accepted.
     */
    async request<Value extends FinishedMove>(
      spec: MoveSpec,
      decision: Decision,
      isAsync: boolean,
      work: (run: MoveRun) => Promise<Result<Value, MoveFailure>>,
    ): Promise<Result<Value, MoveFailure | Waiting>> {
      const opened = await open(spec, isAsync)
      if (!opened.ok) return opened
      const { id, holder, createdAt, hasWaited } = opened.value
      const answer = Promise.withResolvers<Result<Value, MoveFailure | Waiting>>()
      let patience: Timer | undefined
      void runner.hold(id, holder, async () => {
        const move = { id, attempts: 1, createdAt, spec, state: newState(NOTHING), hasWaited }
        let isAnswered = false
        const onAccepted = () => {
          patience = setTimeout(
            () => {
              isAnswered = true
              answer.resolve(waitingFor(id, false))
            },
            isAsync ? 0 : PATIENCE_MS,
          )
        }
        try {
          const { result, isSettled } = await carry(move, holder, decision, work, onAccepted)
          answer.resolve(result)
          return isSettled
        } catch (bug) {
          if (isAnswered) throw bug
          answer.reject(bug)
          return true
        } finally {
          clearTimeout(patience)
        }
      })
      return answer.promise
    },
  }
}
