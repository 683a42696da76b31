import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../text/json.ts'
import { Nullable } from '../../schema/nullable.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { readSpec, type ScaffoldSpec } from './spec.ts'
import { noWaits, type Waits } from './waiting.ts'

export const STEPS = ['create_repo', 'push_template', 'create_secret', 'open_gitops_pr'] as const
export type StepName = (typeof STEPS)[number]

const StepState = Type.Object({
  status: Type.Union([
    Type.Literal('in_progress'),
    Type.Literal('complete'),
    Type.Literal('skipped'),
    Type.Literal('failed'),
  ]),
  message: Type.String(),
})
export type StepState = Static<typeof StepState>

/** Results of the steps so far. */
const RunResults = Type.Object({
  repoUrl: Nullable(Type.String()),
  commit: Nullable(Type.String()),
  prUrl: Nullable(Type.String()),
  prNumber: Nullable(Type.Integer()),
  prStatus: Nullable(Type.String()),
  /** Commit of the gitops repository that the proposed branch starts from. */
  gitopsBase: Nullable(Type.String()),
  /** Version of the absent secret entry that the run is about to create. Runs of versions before it have none. */
  secretBase: Type.Optional(Nullable(Type.Integer())),
})
export type RunResults = Required<Static<typeof RunResults>>

const RunFailure = Type.Object({
  step: Type.String(),
  code: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
})
export type RunFailure = Static<typeof RunFailure>

const State = Type.Object({
  steps: Type.Record(Type.String(), StepState),
  made: RunResults,
  failed: Nullable(RunFailure),
  /** Runs of versions before it have none. */
  waits: Type.Optional(Type.Object({ attempts: Type.Integer(), totalMs: Type.Number() })),
})

export interface RunState {
  readonly steps: Readonly<Partial<Record<StepName, StepState>>>
  readonly made: RunResults
  /** Failure of the last attempt; otherwise `null`. */
  readonly failed: RunFailure | null
  readonly waits: Waits
}

export interface Run extends Omit<RunRow, 'request' | 'state' | 'about' | 'requestHash'> {
  readonly spec: ScaffoldSpec
  readonly state: RunState
}

export const newState: RunState = {
  steps: {},
  made: {
    repoUrl: null,
    commit: null,
    prUrl: null,
    prNumber: null,
    prStatus: null,
    gitopsBase: null,
    secretBase: null,
  },
  failed: null,
  waits: noWaits,
}

/** Each text is different, so that a journal's entry that is written twice is recognised. */
export const writeState = (state: RunState): string =>
  JSON.stringify({ ...state, entry: crypto.randomUUID() })

export function readRun(row: RunRow): Run {
  const state = parseJson(row.state)
  if (!Value.Check(State, state)) throw new Error('the state of a run is not readable')
  const { steps, failed, waits = noWaits } = state
  const made = { ...newState.made, ...state.made }
  return { ...row, spec: readSpec(row.request), state: { steps, made, failed, waits } }
}

/** Events of a run. `failed` or `done` is the last of an attempt. */
export type RunEvent =
  | { readonly event: 'step'; readonly data: StepState & { readonly step: StepName } }
  | { readonly event: 'done'; readonly data: DoneData }
  | { readonly event: 'failed'; readonly data: FailedData }

export interface DoneData {
  readonly prStatus: string
  readonly repoUrl: string
  readonly prUrl: string
  readonly prNumber: number
  readonly runId: string
}

export interface FailedData extends RunFailure {
  readonly runId: string
  readonly repoUrl: string | null
  readonly prUrl: string | null
}
