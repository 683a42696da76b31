import { Type } from 'typebox'

import type { PromotionPreview, Promoted } from '../domain/promotion/promote.ts'

const Nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Text = Type.String()

const Config = Type.Object({}, { description: 'What the overlay sets; the rest is the base’s' })

export const PromotionState = Type.Object(
  {
    entity: Type.Object({ kind: Text, name: Text }),
    team: Nullable(Text),
    app: Nullable(Text),
    path: Nullable(Text),
    revision: Type.String({ description: 'Commit that this was read at' }),
    promotable: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Why it is not promotable' })),
    lifecycle: Nullable(Text),
    pullRequests: Type.Array(
      Type.Object({
        number: Type.Integer(),
        title: Text,
        url: Text,
        state: Text,
        environment: Nullable(Text),
        targetLifecycle: Text,
        branch: Text,
        createdBy: Text,
        createdAt: Type.String({ format: 'date-time' }),
        mergeable: Text,
      }),
    ),
    imageTags: Type.Record(Text, Nullable(Text)),
    environments: Type.Array(
      Type.Object({
        name: Text,
        lifecycle: Text,
        overlay: Type.Boolean(),
        state: Type.String({
          description: 'none, pr_open, pr_closed, ready_to_confirm or live',
        }),
        pullRequest: Nullable(Type.Integer()),
        image: Nullable(
          Type.Object({ name: Nullable(Text), tag: Nullable(Text), digest: Nullable(Text) }),
        ),
        config: Config,
        secretsPath: Text,
      }),
    ),
    next: Nullable(
      Type.Object({
        targetLifecycle: Text,
        environment: Text,
        allowed: Type.Boolean({ description: 'Whether you may' }),
        requires: Type.Array(Text),
      }),
    ),
    confirm: Type.Object({
      available: Type.Boolean(),
      targetLifecycle: Nullable(Text),
      reason: Nullable(Text),
      pullRequest: Nullable(Type.Integer()),
    }),
    drift: Type.Array(Type.Object({ code: Text, environment: Text, message: Text })),
  },
  { $id: 'PromotionState' },
)

const PullRequestRef = Type.Object({
  number: Type.Integer(),
  title: Text,
  url: Text,
  state: Text,
})

const Warnings = Type.Array(Type.Object({ code: Text, message: Text }))

export const PromotionOutcome = Type.Object(
  {
    status: Type.Union([Type.Literal('pr_open'), Type.Literal('ready_to_confirm')]),
    created: Type.Boolean(),
    updated: Type.Boolean(),
    environment: Nullable(Text),
    targetLifecycle: Text,
    pullRequest: Nullable(PullRequestRef),
    branch: Nullable(Text),
    commit: Nullable(Text),
    files: Type.Array(Text),
    image: Nullable(Type.Object({ name: Text, tag: Nullable(Text), carriedFrom: Nullable(Text) })),
    secrets: Nullable(Type.Object({ path: Text, keys: Type.Array(Text), version: Type.Integer() })),
    warnings: Warnings,
  },
  { $id: 'PromotionOutcome' },
)

export const PromotionPreviewSchema = Type.Object(
  {
    allowed: Type.Literal(true),
    status: Type.Union([Type.Literal('pr_open'), Type.Literal('ready_to_confirm')]),
    environment: Nullable(Text),
    targetLifecycle: Text,
    title: Text,
    files: Type.Array(
      Type.Object({
        path: Text,
        status: Type.Union(
          (['added', 'modified', 'unchanged'] as const).map((each) => Type.Literal(each)),
        ),
        diff: Type.String({ description: 'Unified, against the default branch' }),
        content: Text,
      }),
    ),
    image: Nullable(Type.Object({ name: Text, tag: Nullable(Text), carriedFrom: Nullable(Text) })),
    secrets: Nullable(Type.Object({ path: Text, keys: Type.Array(Text) })),
    warnings: Warnings,
  },
  { $id: 'PromotionPreview' },
)

export const Confirmation = Type.Object(
  {
    status: Type.Union([Type.Literal('confirmed'), Type.Literal('already_confirmed')]),
    previousLifecycle: Type.Optional(Text),
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

const imageBody = ({ image }: Promoted | PromotionPreview) =>
  image && { name: image.name, tag: image.image?.tag ?? null, carriedFrom: image.carriedFrom }

export const pullRequestRef = ({
  number,
  title,
  url,
  state,
}: NonNullable<Promoted['proposed']>['pullRequest']) => ({ number, title, url, state })

export function promotedBody(promoted: Promoted) {
  const { proposed, entry, secrets, stage, target, warnings } = promoted
  return {
    status: proposed === null ? 'ready_to_confirm' : 'pr_open',
    created: proposed?.created ?? false,
    updated: proposed?.updated ?? false,
    environment: stage?.environment ?? null,
    targetLifecycle: target,
    pullRequest: proposed && pullRequestRef(proposed.pullRequest),
    branch: proposed?.branch ?? null,
    commit: proposed?.commit ?? null,
    files: proposed?.files.map(({ path }) => path) ?? [],
    image: imageBody(promoted),
    secrets:
      secrets === null || entry === null
        ? null
        : {
            path: secrets.path,
            keys: Object.keys(secrets.values).toSorted(),
            version: entry.version,
          },
    warnings,
  }
}

export function previewBody(preview: PromotionPreview) {
  const { isReady, stage, target, proposal, files, secrets, warnings } = preview
  return {
    allowed: true,
    status: isReady ? 'ready_to_confirm' : 'pr_open',
    environment: stage?.environment ?? null,
    targetLifecycle: target,
    title: proposal.title,
    files,
    image: imageBody(preview),
    secrets: secrets && { path: secrets.path, keys: Object.keys(secrets.values).toSorted() },
    warnings,
  }
}

export const exampleState = {
  entity: { kind: 'Component', name: 'payments-api' },
  team: 'payments',
  app: 'payments-api',
  path: 'apps/payments/payments-api',
  revision: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  promotable: true,
  lifecycle: 'development',
  pullRequests: [],
  imageTags: { dev: '1.5.0-rc.3', staging: null, production: null },
  environments: [],
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
