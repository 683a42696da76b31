import { Type } from 'typebox'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import { Environment, TargetLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import type { AskedPullRequest } from '../../domain/promotion/move.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'

const Text = Type.String()

const orNull = (text: string) => ({
  description: `${text}; \`null\` where the git host does not say`,
})

/** Schemas of the facts of a git host about an open pull request. */
export const factSchemas = {
  checks: Nullable(
    Type.Enum(['passing', 'failing', 'pending', 'none'], orNull('Checks of its last commit')),
  ),
  review: Nullable(
    Type.Enum(
      ['approved', 'changes_requested', 'required', 'none'],
      orNull('`required`: it waits for an approval'),
    ),
  ),
  draft: Nullable(Type.Boolean(orNull('Whether it is a draft'))),
  queued: Nullable(Type.Boolean(orNull('Whether it waits in a merge queue'))),
}

export const factsBody = ({ checks, review, draft, queued }: AskedPullRequest['facts']) => ({
  checks,
  review,
  draft,
  queued,
})

/** An open pull request of the portal for an application. */
export const OpenPullRequest = Type.Object({
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
  ...factSchemas,
})

export function pullRequestBody({ pull, stage, createdBy, facts }: AskedPullRequest) {
  return {
    number: pull.number,
    title: pull.title,
    url: pull.url,
    state: pull.state,
    environment: stage?.environment ?? null,
    targetLifecycle: stage?.lifecycle ?? DEPRECATED,
    branch: pull.head.branch,
    createdBy,
    createdAt: new Date(pull.createdAt).toISOString(),
    // A list of some hosts does not have it.
    mergeable: pull.mergeable === 'unknown' ? facts.mergeable : pull.mergeable,
    ...factsBody(facts),
  }
}
