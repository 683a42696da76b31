import { Type } from 'typebox'
import type { RunsOnByEnvironment } from '../../domain/clusters/runs-on.ts'
import type { OverlayConfig } from '../../domain/gitops/overlay.ts'
import type { ExistingOverlay } from '../../domain/promotion/application.ts'
import { Environment, StageLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import type { PromotionState } from '../../domain/promotion/permitted-state.ts'
import type { Promotable } from '../../domain/promotion/subject.ts'
import { secretPath } from '../../names.ts'
import type { Deployments } from '../../domain/promotion/history/history.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { timeBody } from '../time.ts'

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

export const Image = Type.Object(
  {
    name: Nullable(Text),
    tag: Nullable(Text),
    digest: Nullable(Text),
  },
  { $id: 'OverlayImage' },
)

const RunsOn = Type.Object({
  cluster: Type.String({ description: 'Id of the cluster' }),
  namespace: Type.String({
    description:
      'The namespace that the overlay or its base names; without an overlay that of the cluster registry',
  }),
  labelSelector: Type.String({
    description: 'Selects the pods and deployments of the application',
  }),
  allowed: Nullable(
    Type.Boolean({
      description:
        'Whether the cluster allows you to list the pods there; `null` while it cannot be asked',
    }),
  ),
  canRestart: Nullable(
    Type.Boolean({ description: 'Whether it allows you to restart deployments there' }),
  ),
})

/** An application in one environment. */
export const EnvironmentState = Type.Object({
  name: Environment,
  lifecycle: StageLifecycle,
  overlay: Type.Boolean(),
  state: Type.Enum(['none', 'pr_open', 'pr_closed', 'ready_to_confirm', 'live'], {
    description:
      '`none`: nothing is there or proposed. `pr_open`: its promotion waits for a review. `pr_closed`: the promotion was closed without a merge. `ready_to_confirm`: it was merged and waits for its confirmation. `live`: reached; an open release is in `proposed`',
  }),
  pullRequest: Nullable(
    Type.Integer({
      description: 'Number of the pull request that is open or was closed without a merge',
    }),
  ),
  image: Nullable(Image),
  config: Config,
  proposed: Nullable(
    Type.Object(
      {
        image: Nullable(Image),
        config: Config,
        pullRequest: Type.Integer(),
      },
      { $id: 'ProposedRelease', description: 'What the open pull request would bring' },
    ),
  ),
  deployedAt: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'Newest change of the overlay on the default branch; `null` without one, and while the git host does not tell',
    }),
  ),
  deployedBy: Nullable(Person),
  secretsPath: Text,
  runsOn: Type.Array(RunsOn, {
    description: 'Clusters that carry the environment, of those that you may see',
  }),
  allowed: Type.Boolean({
    description: 'Whether your role suffices to promote to it, release in it and confirm it',
  }),
  requires: Type.Array(Text, { description: 'Groups of which one suffices' }),
})

interface EnvironmentFacts {
  readonly runsOn: RunsOnByEnvironment
  readonly deployments: Deployments
}

/** Members are only ever added. */
export function environmentBody(
  {
    stage,
    overlay,
    state,
    pullRequest,
    proposed,
    allowed,
    requires,
  }: PromotionState['environments'][number],
  { team, app, application }: Promotable,
  { runsOn, deployments }: EnvironmentFacts,
) {
  const deployment = deployments.get(stage)
  const name = application.base.ok ? application.base.value.image : null
  const shown = (each: ExistingOverlay | null) => ({
    image: each?.image ? { name: each.newName ?? name, ...each.image } : null,
    config: configBody(each?.config ?? {}),
  })
  return {
    name: stage.environment,
    lifecycle: stage.lifecycle,
    overlay: overlay !== null,
    state,
    pullRequest,
    ...shown(overlay),
    proposed: proposed && { ...shown(proposed.overlay), pullRequest: proposed.pullRequest },
    deployedAt: timeBody(deployment?.at),
    deployedBy: deployment?.by ?? null,
    secretsPath: secretPath(team, app, stage.environment),
    runsOn: runsOn.get(stage.environment) ?? [],
    allowed,
    requires,
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
