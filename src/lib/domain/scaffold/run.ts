import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { Nullable } from '../../schema/nullable.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { readState, type RunState } from '../runs/state.ts'
import { readSpec, type ScaffoldSpec } from './spec.ts'

export const STEPS = ['create_repo', 'push_template', 'create_secret', 'open_gitops_pr'] as const
export type StepName = (typeof STEPS)[number]

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

export interface Run extends Omit<RunRow, 'request' | 'state' | 'about' | 'requestHash'> {
  readonly spec: ScaffoldSpec
  readonly state: RunState<RunResults>
}

export const nothingMade: RunResults = {
  repoUrl: null,
  commit: null,
  prUrl: null,
  prNumber: null,
  prStatus: null,
  gitopsBase: null,
  secretBase: null,
}

export function readRun(row: RunRow): Run {
  const state = readState(row.state)
  const { made } = state
  if (!Value.Check(RunResults, made)) throw new Error('the results of a run are not readable')
  return {
    ...row,
    spec: readSpec(row.request),
    state: { ...state, made: { ...nothingMade, ...made } },
  }
}
