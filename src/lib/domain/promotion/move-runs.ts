import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { createQueue } from '../../concurrency/queue.ts'
import { onBehalfOf } from '../../concurrency/on-behalf-of.ts'
import { AppName, ObjectId, RunId, TeamName } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunRow, RunStore } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'
import { parseJson } from '../../text/json.ts'
import { type Audit, resumedDecision } from '../audit/audit.ts'
import type { Decision } from '../audit/decision.ts'
import { createJournal, type JournalEvent } from '../runs/journal.ts'
import { LEASE_MS } from '../runs/lease-watch.ts'
import { createRunner } from '../runs/runner.ts'
import type { RunNotFound, Runs } from '../runs/runs.ts'
import { newState, readState, type RunState, writeState } from '../runs/state.ts'
import { CRASHES_MAX, type Explanation, pauseAfter } from '../runs/waiting.ts'
import type { Principal } from '../access/principal.ts'
import { MOVE_KINDS } from './decide.ts'
import { targetOf } from './request-audit.ts'
import type { EntityRequest } from './subject.ts'

/** Longer than a lease: a request that comes right after its process died gets through. */
const WAIT_MAX_MS = 10_000
const POLL_MS = 200
/** Time after which a process with requests in a queue leaves the lock alone for a while, because other processes may poll for it. */
const TENURE_MS = 2_000
const YIELD_MS = 2 * POLL_MS
/** A request is answered with its run when the move is not finished by then. */
const PATIENCE_MS = 10_000
/** Age up to which a move goes on. Later its pull request would surprise the person who asked for it. */
const AGE_MAX_MS = 2 * 60 * 60_000

export const MOVE_ACTS = ['propose', 'confirm'] as const
export const MOVE_STATUSES = [
  'pr_open',
  'ready_to_confirm',
  'secrets_written',
  'confirmed',
  'already_confirmed',
  'lifecycle_pr_open',
] as const

export const OUTCOME_KINDS = [...MOVE_KINDS, 'confirmation'] as const

/** Failures after which a later attempt may succeed. */
const PASSING: ReadonlySet<string> = new Set([
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

/** Of the event `failed`, which has the form of that of projects. */
const NO_PAGES = { repoUrl: null, prUrl: null }

const Text = Type.String()

/** A request as it was decided. Holds no secret: their values are empty. */
const MoveSpec = Type.Object({
  act: Type.Enum([...MOVE_ACTS]),
  kind: Text,
  name: Text,
  team: named(TeamName),
  app: named(AppName),
  /** The lifecycle that was asked for. */
  target: Text,
  /** Empty for a deprecation. */
  environment: Text,
  /** The body of a proposal; of a confirmation `null`. */
  request: Type.Unknown(),
  hasSecrets: Type.Boolean(),
  /** Whose claims decide, as they were at the request. `groups` is `null` when they are unknown. */
  by: Type.Object({
    issuer: Text,
    subject: Text,
    name: Text,
    email: Nullable(Text),
    groups: Nullable(Type.Array(Text)),
  }),
  requestId: Text,
  address: Nullable(Text),
})
export type MoveSpec = Static<typeof MoveSpec>

/** What a move has come to. */
export interface MoveOutcome {
  readonly kind: (typeof OUTCOME_KINDS)[number]
  readonly status: (typeof MOVE_STATUSES)[number]
  readonly pullRequest: { readonly number: number; readonly url: string } | null
  readonly commit: ObjectId | null
}

const MoveResults = Type.Object({
  /** Whether the move opens a pull request, which did not exist before it. */
  opens: Type.Boolean(),
  /** Version of the secret entry that was written before the change. */
  secretVersion: Nullable(Type.Integer()),
  kind: Nullable(Type.Enum([...OUTCOME_KINDS])),
  status: Nullable(Type.Enum([...MOVE_STATUSES])),
  prUrl: Nullable(Text),
  prNumber: Nullable(Type.Integer()),
  commit: Nullable(named(ObjectId)),
})
export type MoveResults = Static<typeof MoveResults>

const NOTHING: MoveResults = {
  opens: false,
  secretVersion: null,
  kind: null,
  status: null,
  prUrl: null,
  prNumber: null,
  commit: null,
}

export interface StoredMove extends Pick<
  RunRow,
  'id' | 'status' | 'attempts' | 'createdAt' | 'finishedAt'
> {
  readonly spec: MoveSpec
  readonly state: RunState<MoveResults>
}

function readMove(row: RunRow): StoredMove {
  const spec = parseJson(row.request)
  const state = readState(row.state)
  const { made } = state
  if (!Value.Check(MoveSpec, spec) || !Value.Check(MoveResults, made)) {
    throw new Error('the run of a move is not readable')
  }
  return { ...row, spec, state: { ...state, made } }
}

/** Whether the first effect may have happened. */
const isAccepted = ({ steps }: RunState<MoveResults>, { act }: MoveSpec): boolean => act in steps

const principalOf = ({ by: { groups, ...person } }: MoveSpec): Principal => ({
  ...person,
  groups:
    groups === null ? { kind: 'unknown', reason: 'missing' } : { kind: 'known', names: groups },
})

export const entityRequestOf = (spec: MoveSpec): EntityRequest => ({
  kind: spec.kind,
  name: spec.name,
  principal: principalOf(spec),
  requestId: spec.requestId,
  address: spec.address,
})

export type LockFailure = { readonly kind: 'change_in_progress' } | DatabaseFailure

const IN_PROGRESS = err({ kind: 'change_in_progress' } as const)

/** In the place of an outcome: the move goes on by itself, and its run tells how it ends. */
export interface Waiting {
  readonly kind: 'waiting'
  readonly runId: RunId
  /** An earlier request began it. */
  readonly isJoined: boolean
}

/** The run of a move for whoever carries it out. While it is held nobody else changes the application in that environment. */
export interface MoveRun {
  /** Whether others had the lock since the request: what was read before may be out of date. */
  readonly hasWaited: boolean
  /** An attempt before this one may have had effects. */
  readonly isContinued: boolean
  readonly made: () => MoveResults
  /** Right before the first effect on the git host: from now on the move is finished by itself. Fails when the lease is lost. */
  accept(made: Pick<MoveResults, 'opens' | 'secretVersion'>): Promise<Result<void, LockFailure>>
  /** Whether the move goes on after this failure. */
  goesOnAfter(failure: Failing): boolean
}

interface Failing {
  readonly kind: string
  readonly retryAfterSeconds?: number
}

export type MoveRunEvent =
  | JournalEvent
  | {
      readonly kind: 'run_paused'
      readonly run: RunId
      readonly failure: Failing
      readonly until: string
    }
  | { readonly kind: 'unexpected'; readonly run: RunId; readonly error: unknown }

export interface MoveRunsOptions {
  readonly store: Pick<RunStore, 'start' | 'discard'> & RunLeases
  readonly runs: Pick<Runs, 'find' | 'wakeFollowers'>
  readonly audit: Pick<Audit, 'finish'>
  readonly clock: SteadyClock
  readonly leaseMs?: number
  readonly log: (event: MoveRunEvent) => void
  /** Code and message that a failure has for people. */
  readonly explain: (failure: Failing) => { readonly code: string; readonly message: string }
  /** Plans the move anew and carries it out. */
  readonly resume: (
    spec: MoveSpec,
    run: MoveRun,
    decision: Decision,
  ) => Promise<Result<MoveOutcome, Failing>>
}

interface Carried<Value, Failure> {
  readonly result: Result<Value, Failure>
  readonly isWaiting: boolean
  /** Whether the run ended or pauses. */
  readonly isSettled: boolean
}

export type MoveRuns = ReturnType<typeof createMoveRuns>

/**
 * Moves as runs, which are their locks as well: one at a time for each application and environment, over all replicas. A process that
 * stalls for longer than a lease may lose one without noticing: each effect is a compare-and-swap besides.
 */
export function createMoveRuns(options: MoveRunsOptions) {
  const { store, clock, audit, leaseMs = LEASE_MS } = options
  const inTurn = createQueue()
  /** By name, while requests of this process hold or want a lock. */
  const tenures = new Map<string, { requests: number; since: number }>()

  async function carry<Value, Failure extends Failing>(
    { id, attempts, createdAt, spec, state }: Omit<StoredMove, 'status' | 'finishedAt'>,
    holder: string,
    decision: Decision,
    {
      hasWaited,
      work,
      outcomeOf,
      onAccepted,
    }: {
      readonly hasWaited: boolean
      readonly work: (run: MoveRun) => Promise<Result<Value, Failure>>
      readonly outcomeOf: (value: Value) => MoveOutcome
      readonly onAccepted?: () => void
    },
  ): Promise<Carried<Value, Failure | LockFailure>> {
    const { act: step } = spec
    const journal = createJournal<MoveResults>(
      { ...options, wakeFollowers: options.runs.wakeFollowers },
      { id, attempts, state },
      holder,
    )
    const isContinued = isAccepted(state, spec)
    let hasBegun = isContinued
    const begin = (made: Partial<MoveResults> = {}) =>
      journal.begin(
        step,
        `${step === 'propose' ? 'Proposing' : 'Confirming'} ${nameOf(spec)}`,
        made,
      )

    async function pauseFor(failure: Failing, explained: Explanation): Promise<boolean> {
      const waits = journal.waits()
      const ended = { ...waits, attempts: waits.attempts + 1 }
      const pause = pauseAfter(explained, ended, clock.now())
      if (pause === null || pause.until >= createdAt + AGE_MAX_MS) return false
      const until = new Date(pause.until).toISOString()
      if (await journal.pause(step, pause)) {
        options.log({ kind: 'run_paused', run: id, failure, until })
      }
      return true
    }

    if (isContinued) {
      if (clock.now() >= createdAt + AGE_MAX_MS) {
        await decision.abandon(INTERRUPTED.code)
        const isSettled = await journal.fail(step, { ...INTERRUPTED, retry: 'never' }, NO_PAGES)
        return { result: IN_PROGRESS, isWaiting: false, isSettled }
      }
      if (journal.crashes() > 0 && journal.waits().attempts >= CRASHES_MAX) {
        const isWaiting = await pauseFor({ kind: 'run_interrupted' }, INTERRUPTED)
        if (isWaiting) return { result: IN_PROGRESS, isWaiting, isSettled: true }
      }
      if (!(await begin())) return { result: IN_PROGRESS, isWaiting: true, isSettled: false }
    }
    const goesOnAfter = ({ kind }: Failing) => hasBegun && PASSING.has(kind)
    let result: Result<Value, Failure>
    try {
      result = await decision.attempt(() =>
        work({
          hasWaited,
          isContinued,
          made: () => journal.state().made,
          goesOnAfter,
          async accept(made) {
            if (hasBegun) return ok(undefined)
            if (!(await begin(made))) return IN_PROGRESS
            hasBegun = true
            onAccepted?.()
            return ok(undefined)
          },
        }),
      )
    } catch (bug) {
      if (hasBegun) await journal.fail(step, BUG, NO_PAGES)
      else await store.discard(id, holder)
      throw bug
    }
    if (!hasBegun) {
      if (!result.ok) await decision.abandon(result.error.kind)
      const discarded = await store.discard(id, holder)
      return { result, isWaiting: false, isSettled: discarded.ok }
    }
    if (result.ok) {
      const { kind, status, pullRequest, commit } = outcomeOf(result.value)
      const outcome = {
        kind,
        status,
        prUrl: pullRequest?.url ?? null,
        prNumber: pullRequest?.number ?? null,
        commit,
      }
      const message =
        pullRequest === null ? nameOf(spec) : `${nameOf(spec)}, pull request ${pullRequest.number}`
      const isSettled =
        (await journal.finish(step, { kind: 'complete', message, made: outcome })) &&
        (await journal.done(outcome))
      return { result, isWaiting: false, isSettled }
    }
    const { error } = result
    const explained = options.explain(error)
    const limitMs = (error.retryAfterSeconds ?? 0) * 1_000
    const isWaiting =
      goesOnAfter(error) && (await pauseFor(error, { ...explained, retry: 'by_itself', limitMs }))
    if (isWaiting) return { result, isWaiting, isSettled: true }
    await decision.abandon(error.kind)
    const isSettled = await journal.fail(step, { ...explained, retry: 'never' }, NO_PAGES)
    return { result, isWaiting: false, isSettled }
  }

  /** Continues a move whose process died, or whose pause is over. */
  async function resume(row: RunRow, holder: string): Promise<boolean> {
    const move = readMove(row)
    const { spec, state } = move
    const decision = resumedDecision(
      audit,
      { target: targetOf(spec), action: 'promotion' },
      // Clients may choose the id of a request.
      { requestId: spec.requestId, subject: spec.by.subject },
    )
    if (!isAccepted(state, spec)) {
      await decision.abandon('run_interrupted')
      return (await store.discard(row.id, holder)).ok
    }
    const carried = await onBehalfOf(row.subject, () =>
      carry(move, holder, decision, {
        hasWaited: true,
        work: (run) => options.resume(spec, run, decision),
        outcomeOf: (outcome) => outcome,
      }),
    )
    return carried.isSettled
  }

  const onBug = (run: RunId, error: unknown) => options.log({ kind: 'unexpected', run, error })
  const runner = createRunner({ ...options, kind: 'move', work: resume, onBug })

  /** Starts the run of a request, once nobody else changes the application in that environment. */
  async function open(
    spec: MoveSpec,
    givenUpAt: number,
  ): Promise<
    Result<
      { readonly id: RunId; readonly holder: string; readonly hasWaited: boolean },
      LockFailure | Waiting
    >
  > {
    const id = RunId.of(Bun.randomUUIDv7())
    const holder = crypto.randomUUID()
    const requestHash = hashOf(spec)
    const { issuer, subject } = spec.by
    await runner.ready()
    for (let hasWaited = false; ; hasWaited = true) {
      const run = {
        id,
        kind: 'move' as const,
        issuer,
        subject,
        team: spec.team,
        about: aboutOf(spec),
        request: JSON.stringify(spec),
        state: writeState(newState(NOTHING)),
        requestHash,
        idempotencyKey: null,
        createdAt: clock.now(),
      }
      // One that has ended is asked for again.
      const same = {
        issuer,
        subject,
        requestHash,
        since: Number.MAX_SAFE_INTEGER,
        idempotency: null,
      }
      const lease = { holder, until: clock.now() + leaseMs }
      const started = await store.start(run, same, { lease })
      if (!started.ok) return started
      if (started.value.kind === 'started') return ok({ id, holder, hasWaited })
      const isOver = clock.elapsed() >= givenUpAt
      if (started.value.kind === 'same') {
        const earlier = readMove(started.value.run)
        const hasPaused = earlier.state.waits.totalMs > 0
        if ((isOver || hasPaused) && isAccepted(earlier.state, earlier.spec)) {
          return err({ kind: 'waiting', runId: earlier.id, isJoined: true })
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
    async request<Value, Failure extends Failing>(
      spec: MoveSpec,
      decision: Decision,
      isAsync: boolean,
      work: (run: MoveRun) => Promise<Result<Value, Failure>>,
      outcomeOf: (value: Value) => MoveOutcome,
    ): Promise<Result<Value, Failure | LockFailure | Waiting>> {
      const name = aboutOf(spec)
      const answerAt = clock.elapsed() + WAIT_MAX_MS
      const answer = Promise.withResolvers<Result<Value, Failure | LockFailure | Waiting>>()
      let timer = setTimeout(() => answer.resolve(IN_PROGRESS), WAIT_MAX_MS)
      const tenure = tenures.get(name) ?? { requests: 0, since: clock.elapsed() }
      tenures.set(name, tenure)
      tenure.requests += 1
      const turn = inTurn(name, async (hasQueued) => {
        clearTimeout(timer)
        if (hasQueued && clock.elapsed() - tenure.since >= TENURE_MS) {
          await sleep(YIELD_MS)
          tenure.since = clock.elapsed()
        }
        const opened = await open(spec, answerAt)
        if (!opened.ok) return answer.resolve(opened)
        const { id, holder, hasWaited } = opened.value
        const waiting = err({ kind: 'waiting', runId: id, isJoined: false } as const)
        await runner.hold(id, holder, async () => {
          const createdAt = clock.now()
          const move = { id, attempts: 1, createdAt, spec, state: newState(NOTHING) }
          const carried = carry<Value, Failure>(move, holder, decision, {
            hasWaited: hasQueued || hasWaited,
            work,
            outcomeOf,
            onAccepted() {
              const patienceMs = isAsync ? 0 : PATIENCE_MS
              timer = setTimeout(() => answer.resolve(waiting), patienceMs)
            },
          })
          try {
            const { result, isWaiting, isSettled } = await carried
            answer.resolve(isWaiting ? waiting : result)
            return isSettled
          } catch (bug) {
            // The request tells of it, unless it is answered already.
            answer.reject(bug)
            if ((await answer.promise.catch(() => null)) !== null) onBug(id, bug)
            return true
          }
        })
      })
      const end = () => {
        clearTimeout(timer)
        tenure.requests -= 1
        if (tenure.requests === 0) tenures.delete(name)
      }
      turn.then(end, (bug: unknown) => {
        end()
        answer.reject(bug)
      })
      return answer.promise
    },
  }
}

const nameOf = ({ team, app, environment, target }: MoveSpec): string =>
  `${team}/${app} → ${environment === '' ? target : environment}`

/** Key of the lock. */
const aboutOf = ({ team, app, environment, target }: MoveSpec): string =>
  `${team}/${app}/${environment === '' ? target : environment}`

/** Tells a repeated request. One with secrets repeats none: their values are not kept. */
function hashOf({ act, kind, name, target, request, hasSecrets }: MoveSpec): string {
  const unique = hasSecrets ? crypto.randomUUID() : ''
  const text = JSON.stringify([act, kind, name, target, request, unique])
  return createHash('sha256').update(text).digest('hex')
}
