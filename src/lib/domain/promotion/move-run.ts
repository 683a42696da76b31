import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { AppName, BranchName, ObjectId, TeamName } from '../../names.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'
import { parseJson } from '../../text/json.ts'
import type { Principal } from '../access/principal.ts'
import { readState, type RunState } from '../runs/state.ts'
import { MOVE_KINDS } from './decide.ts'
import type { EntityRequest } from './subject.ts'

/** Steps of moves. The run of a move has one of them. */
export const MOVE_STEPS = ['propose', 'confirm'] as const
export const MOVE_STATUSES = [
  'pr_open',
  'ready_to_confirm',
  'secrets_written',
  'confirmed',
  'already_confirmed',
  'lifecycle_pr_open',
] as const

export const OUTCOME_KINDS = [...MOVE_KINDS, 'confirmation'] as const

const Text = Type.String()

/** A request as it was decided. Holds no secret: their values are empty. */
const MoveSpec = Type.Object({
  step: Type.Enum([...MOVE_STEPS]),
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

/** Outcome of a move. */
export interface MoveOutcome {
  readonly kind: (typeof OUTCOME_KINDS)[number]
  readonly status: (typeof MOVE_STATUSES)[number]
  readonly pullRequest: PullRequest | null
  readonly commit: ObjectId | null
}

/** An answer to the request of a move. */
export interface FinishedMove {
  readonly outcome: MoveOutcome
}

const MoveResults = Type.Object({
  /** Branch of the pull request that the move opens. `null`: none, or one that was open before it. */
  branch: Nullable(named(BranchName)),
  /** Version of the secret entry that was written before the change. */
  secretVersion: Nullable(Type.Integer()),
  kind: Nullable(Type.Enum([...OUTCOME_KINDS])),
  status: Nullable(Type.Enum([...MOVE_STATUSES])),
  prUrl: Nullable(Text),
  prNumber: Nullable(Type.Integer()),
  commit: Nullable(named(ObjectId)),
})
export type MoveResults = Static<typeof MoveResults>

export const NOTHING: MoveResults = {
  branch: null,
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

/** Reads the row of a move; any other text in the database is a bug. */
export function readMove(row: RunRow): StoredMove {
  const spec = parseJson(row.request)
  const state = readState(row.state)
  const { made } = state
  if (!Value.Check(MoveSpec, spec) || !Value.Check(MoveResults, made)) {
    throw new Error('the run of a move is not readable')
  }
  return { ...row, spec, state: { ...state, made } }
}

/** Whether the first effect may have happened. */
export const isAccepted = ({ steps }: RunState<MoveResults>, { step }: MoveSpec): boolean =>
  step in steps

/** The groups hold the teams of a grant; its environments were checked when the move was accepted. */
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

export const labelOf = ({ team, app, environment, target }: MoveSpec): string =>
  `${team}/${app} → ${environment === '' ? target : environment}`

/** Key of the lock. */
export const aboutOf = ({ team, app, environment, target }: MoveSpec): string =>
  `${team}/${app}/${environment === '' ? target : environment}`

/** Tells a repeated request. One with secrets repeats none: their values are not kept. */
export function hashOf({ step, kind, name, target, request, hasSecrets }: MoveSpec): string {
  const unique = hasSecrets ? crypto.randomUUID() : ''
  const text = JSON.stringify([step, kind, name, target, request, unique])
  return createHash('sha256').update(text).digest('hex')
}
