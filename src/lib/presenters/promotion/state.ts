import { Type } from 'typebox'
import type { RunsOnByEnvironment } from '../../domain/clusters/runs-on.ts'
import type { SourcePages } from '../../domain/gitops/source-pages.ts'
import { appPath } from '../../domain/gitops/application.ts'
import { SETTINGS, settingsOn } from '../../domain/gitops/overlay.ts'
import {
  ACT_REASONS,
  ACTS,
  type PromotionState as State,
} from '../../domain/promotion/permitted-state.ts'
import { Environment, StageLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import type { Subject } from '../../domain/promotion/subject.ts'
import { Nullable } from '../../schema/nullable.ts'
import { environmentBody, EnvironmentState } from './environment.ts'
import { OpenPullRequest, pullRequestBody } from './open-pull-request.ts'

const Text = Type.String()

export const PromotionState = Type.Object(
  {
    entity: Type.Object({ kind: Text, name: Text }),
    team: Nullable(Text),
    app: Nullable(Text),
    path: Nullable(Text),
    revision: Type.String({
      description: 'Commit of the gitops repository that the state was read at',
    }),
    revisionUrl: Type.String({ description: 'The commit at the git host, for browsers' }),
    promotable: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Reason why the entity cannot be promoted' })),
    missing: Type.Optional(
      Type.String({ description: 'What the base lacks that an overlay needs' }),
    ),
    settings: Type.Optional(
      Type.Array(Type.Enum([...SETTINGS]), {
        description:
          'Settings that `overlayConfig` may name: without an XTenantApp only `replicas`, of one workload',
      }),
    ),
    lifecycle: Nullable(Text),
    pullRequests: Type.Array(OpenPullRequest, { description: 'Open pull requests, newest first' }),
    imageTags: Type.Record(Text, Nullable(Text), { description: 'Image tag by environment' }),
    environments: Type.Array(EnvironmentState),
    next: Nullable(
      Type.Object(
        {
          targetLifecycle: StageLifecycle,
          environment: Environment,
          allowed: Type.Boolean({ description: 'Whether you may promote to it' }),
          requires: Type.Array(Text),
        },
        { $id: 'NextPromotion' },
      ),
    ),
    deprecation: Nullable(
      Type.Object(
        {
          allowed: Type.Boolean({ description: 'Whether you may deprecate the entity' }),
          requires: Type.Array(Text),
        },
        {
          $id: 'Deprecation',
          description: '`null`: it is deprecated, or has no owner whose application it could be',
        },
      ),
    ),
    confirm: Type.Object({
      available: Type.Boolean(),
      targetLifecycle: Nullable(StageLifecycle),
      reason: Nullable(Text),
      pullRequest: Nullable(Type.Integer()),
    }),
    acts: Type.Array(
      Type.Object(
        {
          do: Type.Enum([...ACTS], {
            description:
              '`update` changes the open pull request of the environment or, without an environment, of the deprecation; `rollback` is a release of an image that ran before',
          }),
          environment: Nullable(Environment),
          allowed: Type.Boolean(),
          requires: Type.Array(Text, { description: 'Groups of which one suffices' }),
          reason: Nullable(
            Type.Enum([...ACT_REASONS], {
              description:
                'Code of a problem. `invalid_transition`, `overlay_missing`, `pr_closed`: it is not its turn, whoever asks',
            }),
          ),
          message: Type.String({
            description: 'The effect for people, or why it is refused and what to do',
          }),
        },
        { $id: 'PromotionAct' },
      ),
      {
        description:
          'What you can do now, or why not; by environment in the order of promotion. A client needs no rule of its own',
      },
    ),
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

/** Renders the state. Members are only ever added. */
export function stateBody(
  {
    subject,
    lifecycle,
    imageTags,
    environments,
    deployments,
    pullRequests,
    next,
    deprecation,
    confirm,
    acts,
    drift,
  }: State,
  runsOn: RunsOnByEnvironment,
  pages: Pick<SourcePages, 'commit'>,
) {
  const { entity, commit, eligibility } = subject
  const { kind, name } = entity.card
  const promotable = eligibility.kind === 'promotable' ? eligibility : null
  return {
    entity: { kind, name },
    team: eligibility.team,
    app: promotable?.app ?? null,
    path: promotable === null ? null : appPath(promotable.team, promotable.app),
    revision: commit,
    revisionUrl: pages.commit(commit),
    ...promotability(eligibility),
    lifecycle,
    pullRequests: pullRequests.map(pullRequestBody),
    imageTags,
    environments:
      promotable === null
        ? []
        : environments.map((environment) =>
            environmentBody(environment, promotable, { runsOn, deployments }),
          ),
    next: next && {
      targetLifecycle: next.stage.lifecycle,
      environment: next.stage.environment,
      allowed: next.allowed,
      requires: next.requires,
    },
    deprecation,
    confirm,
    acts,
    drift,
  }
}

function promotability(eligibility: Subject['eligibility']) {
  if (eligibility.kind === 'not_promotable') {
    return { promotable: false, reason: eligibility.reason }
  }
  const { base } = eligibility.application
  return base.ok
    ? { promotable: true, settings: settingsOn(base.value) }
    : { promotable: false, reason: 'base_unusable', missing: base.error }
}
