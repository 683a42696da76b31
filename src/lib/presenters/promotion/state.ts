import { Type } from 'typebox'
import { appPath } from '../../domain/gitops/layout.ts'
import type { OverlayConfig } from '../../domain/gitops/overlay.ts'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import {
  Environment,
  StageLifecycle,
  TargetLifecycle,
} from '../../domain/promotion/pipeline-schemas.ts'
import type { MovePullRequest } from '../../domain/promotion/pulls.ts'
import type { EnvironmentState, PromotionState as State } from '../../domain/promotion/state.ts'
import type { Promotable, Subject } from '../../domain/promotion/subject.ts'
import { secretPath } from '../../names.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'

const Text = Type.String()

const Quantity = Type.Optional(Type.String({ description: 'Kubernetes quantity' }))
const Quantities = Type.Optional(Type.Object({ cpu: Quantity, memory: Quantity }))

const Config = Type.Object(
  {
    replicas: Type.Optional(Type.Number()),
    resources: Type.Optional(Type.Object({ requests: Quantities, limits: Quantities })),
    ingress: Type.Optional(Type.Object({ host: Text })),
    database: Type.Optional(
      Type.Object({ tier: Type.Enum(['shared', 'dedicated']), name: Type.Optional(Text) }),
    ),
  },
  { description: 'Settings of the overlay; other values come from the base' },
)

export const PromotionState = Type.Object(
  {
    entity: Type.Object({ kind: Text, name: Text }),
    team: Nullable(Text),
    app: Nullable(Text),
    path: Nullable(Text),
    revision: Type.String({
      description: 'Commit of the gitops repository that the state was read at',
    }),
    promotable: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Reason why the entity cannot be promoted' })),
    missing: Type.Optional(
      Type.String({ description: 'What the base lacks that an overlay needs' }),
    ),
    lifecycle: Nullable(Text),
    pullRequests: Type.Array(
      Type.Object({
        number: Type.Integer(),
        title: Text,
        url: Text,
        state: Type.Literal('open'),
        environment: Nullable(Environment),
        targetLifecycle: TargetLifecycle,
        branch: Text,
        createdBy: Person,
        createdAt: Type.String({ format: 'date-time' }),
        mergeable: Type.Enum(['clean', 'conflicting', 'unknown']),
      }),
      { description: 'Open pull requests, newest first' },
    ),
    imageTags: Type.Record(Text, Nullable(Text), { description: 'Image tag by environment' }),
    environments: Type.Array(
      Type.Object({
        name: Environment,
        lifecycle: StageLifecycle,
        overlay: Type.Boolean(),
        state: Type.Enum(['none', 'pr_open', 'pr_closed', 'ready_to_confirm', 'live']),
        pullRequest: Nullable(
          Type.Integer({
            description: 'Number of the pull request that is open or was closed without a merge',
          }),
        ),
        image: Nullable(
          Type.Object({ name: Nullable(Text), tag: Nullable(Text), digest: Nullable(Text) }),
        ),
        config: Config,
        secretsPath: Text,
      }),
    ),
    next: Nullable(
      Type.Object({
        targetLifecycle: StageLifecycle,
        environment: Environment,
        allowed: Type.Boolean({ description: 'Whether you may promote to it' }),
        requires: Type.Array(Text),
      }),
    ),
    confirm: Type.Object({
      available: Type.Boolean(),
      targetLifecycle: Nullable(StageLifecycle),
      reason: Nullable(Text),
      pullRequest: Nullable(Type.Integer()),
    }),
    drift: Type.Array(
      Type.Object({
        code: Type.Enum(['lifecycle_behind_overlay', 'lifecycle_ahead_of_overlay']),
        environment: Environment,
        message: Text,
      }),
    ),
  },
  { $id: 'PromotionState' },
)

export const exampleState = {
  entity: { kind: 'Component', name: 'payments-api' },
  team: 'payments',
  app: 'payments-api',
  path: 'apps/payments/payments-api',
  revision: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  promotable: true,
  lifecycle: 'development',
  pullRequests: [
    {
      number: 42,
      title: '[Promote] payments/payments-api → staging',
      url: 'https://portal.example.org/acme/gitops/pulls/42',
      state: 'open',
      environment: 'staging',
      targetLifecycle: 'staging',
      branch: 'promote/payments/payments-api/staging',
      createdBy: { subject: null, name: 'Dana Developer' },
      createdAt: '2026-11-21T09:30:00.000Z',
      mergeable: 'clean',
    },
  ],
  imageTags: { dev: '1.5.0-rc.3', staging: null, production: null },
  environments: [
    {
      name: 'dev',
      lifecycle: 'development',
      overlay: true,
      state: 'live',
      pullRequest: null,
      image: { name: 'registry.example.org/acme/payments-api', tag: '1.5.0-rc.3', digest: null },
      config: { replicas: 1, ingress: { host: 'payments-api.dev.example.org' } },
      secretsPath: 'payments/payments-api/dev/env',
    },
    {
      name: 'staging',
      lifecycle: 'staging',
      overlay: false,
      state: 'pr_open',
      pullRequest: 42,
      image: null,
      config: {},
      secretsPath: 'payments/payments-api/staging/env',
    },
    {
      name: 'production',
      lifecycle: 'production',
      overlay: false,
      state: 'none',
      pullRequest: null,
      image: null,
      config: {},
      secretsPath: 'payments/payments-api/production/env',
    },
  ],
  next: {
    targetLifecycle: 'staging',
    environment: 'staging',
    allowed: true,
    requires: ['platform-team', 'payments:Managers'],
  },
  confirm: {
    available: false,
    targetLifecycle: 'staging',
    reason: 'PR #42 pending',
    pullRequest: 42,
  },
  drift: [],
}

/** Renders the state. Members are only ever added. */
export function stateBody({
  subject,
  lifecycle,
  imageTags,
  environments,
  pullRequests,
  next,
  confirm,
  drift,
}: State) {
  const { kind, name, commit, eligibility } = subject
  const promotable = eligibility.kind === 'promotable' ? eligibility : null
  return {
    entity: { kind, name },
    team: eligibility.team,
    app: promotable?.app ?? null,
    path: promotable === null ? null : appPath(promotable.team, promotable.app),
    revision: commit,
    ...promotability(eligibility),
    lifecycle,
    pullRequests: pullRequests.map(pullRequestBody),
    imageTags,
    environments:
      promotable === null
        ? []
        : environments.map((environment) => environmentBody(environment, promotable)),
    next: next && {
      targetLifecycle: next.stage.lifecycle,
      environment: next.stage.environment,
      allowed: next.allowed,
      requires: next.requires,
    },
    confirm,
    drift,
  }
}

function promotability(eligibility: Subject['eligibility']) {
  if (eligibility.kind === 'not_promotable') {
    return { promotable: false, reason: eligibility.reason }
  }
  const { base } = eligibility.application
  return base.ok
    ? { promotable: true }
    : { promotable: false, reason: 'base_unusable', missing: base.error }
}

function pullRequestBody({ pull, stage }: MovePullRequest) {
  return {
    number: pull.number,
    title: pull.title,
    url: pull.url,
    state: pull.state,
    environment: stage?.environment ?? null,
    targetLifecycle: stage?.lifecycle ?? DEPRECATED,
    branch: pull.head.branch,
    // The git host knows accounts and authors of its own, no subjects.
    createdBy: { subject: null, name: pull.createdBy },
    createdAt: new Date(pull.createdAt).toISOString(),
    mergeable: pull.mergeable,
  }
}

function environmentBody(
  { stage, overlay, state, pullRequest }: EnvironmentState,
  { team, app, application }: Promotable,
) {
  const { image = null, config = {} } = overlay ?? {}
  return {
    name: stage.environment,
    lifecycle: stage.lifecycle,
    overlay: overlay !== null,
    state,
    pullRequest,
    image: image && { name: application.base.ok ? application.base.value.image : null, ...image },
    config: configBody(config),
    secretsPath: secretPath(team, app, stage.environment),
  }
}

const configBody = ({ resources, ...config }: OverlayConfig) => ({
  ...config,
  ...(resources !== undefined && {
    resources: {
      ...(resources.requests && { requests: quantitiesBody(resources.requests) }),
      ...(resources.limits && { limits: quantitiesBody(resources.limits) }),
    },
  }),
})

/** YAML reads `cpu: 1` as a number, and a file may have anything. */
const quantitiesBody = (quantities: object) =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([name, quantity]: [string, unknown]) =>
      typeof quantity === 'string' || typeof quantity === 'number'
        ? [[name, String(quantity)]]
        : [],
    ),
  )
