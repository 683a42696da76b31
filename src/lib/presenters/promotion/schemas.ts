import { Type } from 'typebox'
import { MOVE_KINDS } from '../../domain/promotion/decide.ts'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import { type Plan, PLAN_STATUSES, statusOf } from '../../domain/promotion/plan.ts'
import type { PromotionPreview, CompletedPromotion } from '../../domain/promotion/promote.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Environment, TargetLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import { PromotionState } from './state.ts'

const Text = Type.String()

export const PullRequestRef = Type.Object(
  {
    number: Type.Integer(),
    title: Text,
    url: Text,
    state: Type.Enum(['open', 'merged', 'closed']),
  },
  { $id: 'PullRequestRef' },
)

const Kind = Type.Enum([...MOVE_KINDS], {
  description:
    'A `release` changes an environment that is live already, and has nothing to confirm',
})
const Status = Type.Enum([...PLAN_STATUSES], {
  description: '`secrets_written`: a release of secrets alone, without a pull request',
})

const Image = Type.Object(
  {
    name: Text,
    tag: Nullable(Text),
    digest: Nullable(Text),
    carriedFrom: Nullable(
      Type.String({ description: 'Environment that the image was taken from' }),
    ),
  },
  { $id: 'PromotedImage' },
)

/** Members of a plan, performed or not. */
const planned = {
  kind: Kind,
  status: Status,
  environment: Nullable(Environment),
  targetLifecycle: TargetLifecycle,
  image: Nullable(Image),
  warnings: Type.Array(Type.Object({ code: Text, message: Text })),
}

export const PromotionOutcome = Type.Object(
  {
    ...planned,
    created: Type.Boolean(),
    updated: Type.Boolean(),
    pullRequest: Nullable(PullRequestRef),
    branch: Nullable(Text),
    commit: Nullable(Text),
    files: Type.Array(Text),
    secrets: Nullable(
      Type.Object(
        { path: Text, keys: Type.Array(Text), version: Type.Integer() },
        { $id: 'WrittenSecrets' },
      ),
    ),
  },
  { $id: 'PromotionOutcome' },
)

export const PromotionPreviewSchema = Type.Object(
  {
    ...planned,
    allowed: Type.Boolean(),
    title: Text,
    files: Type.Array(
      Type.Object({
        path: Text,
        status: Type.Union(
          (['added', 'modified', 'unchanged'] as const).map((each) => Type.Literal(each)),
        ),
        diff: Type.String({
          description:
            'Unified diff against the default branch, as it was where an open pull request began',
        }),
        content: Text,
      }),
    ),
    secrets: Nullable(
      Type.Object({ path: Text, keys: Type.Array(Text) }, { $id: 'PlannedSecrets' }),
    ),
  },
  { $id: 'PromotionPreview' },
)

export const Confirmation = Type.Object(
  {
    status: Type.Union([Type.Literal('confirmed'), Type.Literal('already_confirmed')]),
    previousLifecycle: Text,
    lifecycle: Text,
    commit: Text,
    promotion: PromotionState,
  },
  { $id: 'Confirmation' },
)

export const LifecycleProposal = Type.Object(
  { status: Type.Literal('lifecycle_pr_open'), pullRequest: PullRequestRef },
  { $id: 'LifecycleProposal' },
)

const plannedBody = (plan: Plan) => ({
  kind: plan.kind,
  status: statusOf(plan),
  environment: plan.stage?.environment ?? null,
  targetLifecycle: plan.stage?.lifecycle ?? DEPRECATED,
  image: plan.image && {
    name: plan.image.name,
    tag: plan.image.image?.tag ?? null,
    digest: plan.image.image?.digest ?? null,
    carriedFrom: plan.image.carriedFrom,
  },
  warnings: plan.warnings,
})

const secretsBody = ({ path, values }: NonNullable<Plan['secrets']>) => ({
  path,
  keys: Object.keys(values).toSorted(),
})

export const pullRequestRef = ({
  number,
  title,
  url,
  state,
}: NonNullable<CompletedPromotion['proposed']>['pullRequest']) => ({ number, title, url, state })

export function promotedBody(promoted: CompletedPromotion) {
  const { proposed, secretVersion: version, secrets } = promoted
  return {
    ...plannedBody(promoted),
    created: proposed?.created ?? false,
    updated: proposed?.updated ?? false,
    pullRequest: proposed && pullRequestRef(proposed.pullRequest),
    branch: proposed?.branch ?? null,
    commit: proposed?.commit ?? null,
    files: promoted.change?.files.map(({ path }) => path) ?? [],
    secrets: secrets && version !== null ? { ...secretsBody(secrets), version } : null,
  }
}

export const previewBody = (preview: PromotionPreview) => ({
  ...plannedBody(preview),
  allowed: true,
  title: preview.title,
  files: preview.files,
  secrets: preview.secrets && secretsBody(preview.secrets),
})
