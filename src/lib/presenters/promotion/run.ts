import { Type } from 'typebox'
import {
  MOVE_STEPS,
  MOVE_STATUSES,
  OUTCOME_KINDS,
  type StoredMove,
} from '../../domain/promotion/move-run.ts'
import type { Waiting } from '../../domain/promotion/move-runs.ts'
import { Environment, TargetLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import { eventContent } from '../../http/event-content.ts'
import { RunId } from '../../names.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { acceptedRun } from '../runs/stream.ts'
import { AcceptedRun, RunFailed, runFailure, RunStatus, runStep } from '../scaffold/schemas.ts'
import { timeBody } from '../time.ts'

const Text = Type.String()

const outcome = {
  kind: Type.Enum([...OUTCOME_KINDS]),
  status: Type.Enum([...MOVE_STATUSES], { description: 'What the move has come to' }),
  prUrl: Nullable(Text),
  prNumber: Nullable(Type.Integer()),
  commit: Nullable(Text),
}

export const MoveStep = runStep('MoveStep', MOVE_STEPS)

/** Data of the event `done`. */
export const MoveDone = Type.Object({ ...outcome, runId: Text }, { $id: 'MoveDone' })

export const PromotionRun = Type.Object(
  {
    id: Text,
    status: RunStatus,
    act: Type.Enum([...MOVE_STEPS]),
    entity: Type.Object({ kind: Text, name: Text }),
    team: Text,
    app: Text,
    environment: Nullable(Environment),
    targetLifecycle: TargetLifecycle,
    createdBy: Person,
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: Nullable(Type.String({ format: 'date-time' })),
    steps: Type.Array(MoveStep, { description: 'Steps that have begun' }),
    outcome: Nullable(Type.Object(outcome, { $id: 'MoveOutcome' })),
    failure: Nullable(runFailure),
  },
  { $id: 'PromotionRun' },
)

export function moveBody({ id, status, spec, state, createdAt, finishedAt }: StoredMove) {
  const { made, failed, steps } = state
  const step = steps[spec.step]
  const { kind, status: outcome, prUrl, prNumber, commit } = made
  return {
    id,
    status,
    act: spec.step,
    entity: { kind: spec.kind, name: spec.name },
    team: spec.team,
    app: spec.app,
    environment: spec.environment === '' ? null : spec.environment,
    targetLifecycle: spec.target,
    createdBy: { subject: spec.by.subject, name: spec.by.name },
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: timeBody(finishedAt),
    steps: step === undefined ? [] : [{ step: spec.step, ...step }],
    outcome:
      kind === null || outcome === null ? null : { kind, status: outcome, prUrl, prNumber, commit },
    failure: status === 'failed' ? failed : null,
  }
}

const EXAMPLE_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a12'
export const moveRunPath = (id: string): string => `/api/v1/promotions/runs/${id}`

export const MoveRunParameters = Type.Object({
  id: named(RunId, { description: 'Id of a run', examples: [EXAMPLE_ID] }),
})

export const exampleMove = {
  id: EXAMPLE_ID,
  status: 'running',
  act: 'propose',
  entity: { kind: 'component', name: 'payments-api' },
  team: 'payments',
  app: 'payments-api',
  environment: 'staging',
  targetLifecycle: 'staging',
  createdBy: { subject: 'manager', name: 'Max Manager' },
  createdAt: '2026-11-21T09:30:00.000Z',
  finishedAt: null,
  steps: [
    {
      step: 'propose',
      status: 'in_progress',
      message: 'The git host asks us to wait; trying again in 8 s',
    },
  ],
  outcome: null,
  failure: null,
}

export const moveRunStream = eventContent(
  'MoveEvent',
  { step: MoveStep, done: MoveDone, failed: RunFailed },
  {
    description:
      'Events `step` (status `in_progress`, again when the move waits for the git host or is tried again, then `complete` or `failed`), and a last event, either `done` or `failed`',
    example:
      'id: 1\nevent: step\ndata: {"step":"propose","status":"in_progress","message":"Proposing payments/payments-api → staging"}\n\n',
  },
)

/** The answer to a request whose move goes on by itself. */
export const acceptedMove = ({ runId }: Waiting, isAsync: boolean): Response =>
  acceptedRun({ id: runId, status: 'running' }, moveRunPath(runId), isAsync)

export const acceptedMoveContent = {
  schema: AcceptedRun,
  example: {
    runId: EXAMPLE_ID,
    status: 'running',
    eventsUrl: `${moveRunPath(EXAMPLE_ID)}/events`,
  },
}

export const acceptedMoveHeaders = {
  'X-Run-Id': 'Id of the run, which goes on by itself',
  Location: 'Path of the run as JSON; `/events` below it is its stream',
  'Preference-Applied': '`respond-async`, if the client asked for it',
}

export const preferAsyncMove = {
  Prefer: Type.String({
    maxLength: 200,
    examples: ['respond-async'],
    description: '`respond-async`: answers 202 as soon as every check has passed (RFC 7240)',
  }),
}
