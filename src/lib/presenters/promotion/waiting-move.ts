import { Type } from 'typebox'
import {
  WAITING_KINDS,
  type Confirmers,
  WAITS_FOR,
  type WaitingMove as Move,
} from '../../domain/promotion/overview/waiting-move.ts'
import type { FactsLookup } from '../../domain/gitops/pull-request-facts.ts'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import { Environment, TargetLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import { UNKNOWN_FACTS } from '../../ports/git-host/pull-request.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { timeBody } from '../time.ts'
import { factsBody, factSchemas } from './open-pull-request.ts'
import { entityNameBody, ListedEntityName } from '../catalog/entity-name.ts'

const Text = Type.String()

export const WaitsFor = Type.Enum([...WAITS_FOR], {
  description:
    '`review`: of its open pull request. `confirm`: its overlay is on the default branch, and the lifecycle of the entity has not followed',
})

export const WaitingMove = Type.Object(
  {
    kind: Type.Enum([...WAITING_KINDS]),
    waitsFor: WaitsFor,
    entity: Nullable(ListedEntityName),
    team: Text,
    app: Text,
    environment: Nullable(Environment),
    targetLifecycle: Nullable(TargetLifecycle),
    pullRequest: Nullable(
      Type.Object(
        {
          number: Type.Integer(),
          title: Text,
          url: Text,
          state: Type.Enum(['open', 'merged']),
          branch: Text,
          ...factSchemas,
        },
        { $id: 'WaitingPullRequest' },
      ),
    ),
    askedBy: Nullable(Person),
    since: Nullable(Type.String({ format: 'date-time', description: 'Since when it waits' })),
    canConfirm: Type.Boolean({
      description: 'Whether it waits for a confirmation that you may give',
    }),
    requires: Type.Array(Text, {
      description: 'Groups of which one may confirm it; none when it waits for a review',
    }),
  },
  {
    $id: 'WaitingMove',
    description:
      'Without an entity the catalog has none of it, or not yet. Without an environment it is a scaffold or a deprecation. Without a pull request the overlay came to the default branch past Portico, or too long ago for its pull request to be found',
  },
)

/** Members are only ever added. */
export const waitingMoveBody = (
  { entity, stage, pull, ...move }: Move,
  confirmers: Confirmers,
  factsOf: FactsLookup,
) => ({
  ...move,
  entity: entity && entityNameBody(entity),
  environment: stage?.environment ?? null,
  targetLifecycle: stage?.lifecycle ?? (move.kind === 'deprecation' ? DEPRECATED : null),
  pullRequest: pull && {
    number: pull.number,
    title: pull.title,
    url: pull.url,
    state: pull.state,
    branch: pull.head.branch,
    ...factsBody(pull.state === 'open' ? factsOf(pull) : UNKNOWN_FACTS),
  },
  since: timeBody(move.since),
  ...confirmers,
})

const example = {
  entity: { kind: 'Component', name: 'payments-api', title: 'Payments API' },
  team: 'payments',
  app: 'payments-api',
}

export const exampleMoves = [
  {
    kind: 'release',
    waitsFor: 'review',
    ...example,
    environment: 'staging',
    targetLifecycle: 'staging',
    pullRequest: {
      number: 42,
      title: '[Promote] payments/payments-api → staging',
      url: 'https://portal.example.org/acme/gitops/pulls/42',
      state: 'open',
      branch: 'promote/payments/payments-api/staging.2',
      checks: 'passing',
      review: 'required',
      draft: false,
      queued: false,
    },
    askedBy: { subject: 'dev', name: 'Dana Developer' },
    since: '2026-11-21T09:30:00.000Z',
    canConfirm: false,
    requires: [],
  },
  {
    kind: 'promotion',
    waitsFor: 'confirm',
    ...example,
    environment: 'production',
    targetLifecycle: 'production',
    pullRequest: {
      number: 40,
      title: '[Promote] payments/payments-api → production',
      url: 'https://portal.example.org/acme/gitops/pulls/40',
      state: 'merged',
      branch: 'promote/payments/payments-api/production',
      checks: null,
      review: null,
      draft: null,
      queued: null,
    },
    askedBy: { subject: 'dev', name: 'Dana Developer' },
    since: '2026-11-20T16:05:00.000Z',
    canConfirm: true,
    requires: ['platform-team', 'payments:Managers'],
  },
]
