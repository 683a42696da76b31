import { Type } from 'typebox'
import { MOVE_KINDS } from '../../domain/promotion/decide.ts'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import { PLAN_STATUSES, statusOf } from '../../domain/promotion/plan.ts'
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

const Warnings = Type.Array(Type.Object({ code: Text, message: Text }))

export const PromotionOutcome = Type.Object(
  {
    kind: Kind,
    status: Status,
    created: Type.Boolean(),
    updated: Type.Boolean(),
    environment: Nullable(Environment),
    targetLifecycle: TargetLifecycle,
    pullRequest: Nullable(PullRequestRef),
    branch: Nullable(Text),
    commit: Nullable(Text),
    files: Type.Array(Text),
    image: Nullable(Image),
    secrets: Nullable(
      Type.Object(
        { path: Text, keys: Type.Array(Text), version: Type.Integer() },
        { $id: 'WrittenSecrets' },
      ),
    ),
    warnings: Warnings,
  },
  { $id: 'PromotionOutcome' },
)

export const PromotionPreviewSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    kind: Kind,
    status: Status,
    environment: Nullable(Environment),
    targetLifecycle: TargetLifecycle,
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
    image: Nullable(Image),
    secrets: Nullable(
      Type.Object({ path: Text, keys: Type.Array(Text) }, { $id: 'PlannedSecrets' }),
    ),
    warnings: Warnings,
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

const imageBody = ({ image }: CompletedPromotion | PromotionPreview) =>
  image && {
    name: image.name,
    tag: image.image?.tag ?? null,
    digest: image.image?.digest ?? null,
    carriedFrom: image.carriedFrom,
  }

export const pullRequestRef = ({
  number,
  title,
  url,
  state,
}: NonNullable<CompletedPromotion['proposed']>['pullRequest']) => ({ number, title, url, state })

export function promotedBody(promoted: CompletedPromotion) {
  const { proposed, secretVersion, secrets, stage, warnings } = promoted
  return {
    kind: promoted.kind,
    status: statusOf(promoted),
    created: proposed?.created ?? false,
    updated: proposed?.updated ?? false,
    environment: stage?.environment ?? null,
    targetLifecycle: stage?.lifecycle ?? DEPRECATED,
    pullRequest: proposed && pullRequestRef(proposed.pullRequest),
    branch: proposed?.branch ?? null,
    commit: proposed?.commit ?? null,
    files: promoted.change?.files.map(({ path }) => path) ?? [],
    image: imageBody(promoted),
    secrets:
      secrets === null || secretVersion === null
        ? null
        : {
            path: secrets.path,
            keys: Object.keys(secrets.values).toSorted(),
            version: secretVersion,
          },
    warnings,
  }
}

export function previewBody(preview: PromotionPreview) {
  const { kind, secrets, stage, title, files, warnings } = preview
  return {
    allowed: true,
    kind,
    status: statusOf(preview),
    environment: stage?.environment ?? null,
    targetLifecycle: stage?.lifecycle ?? DEPRECATED,
    title,
    files,
    image: imageBody(preview),
    secrets: secrets && { path: secrets.path, keys: Object.keys(secrets.values).toSorted() },
    warnings,
  }
}
