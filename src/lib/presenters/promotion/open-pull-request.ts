import { Type } from 'typebox'
import { DEPRECATED } from '../../domain/promotion/pipeline.ts'
import { Environment, TargetLifecycle } from '../../domain/promotion/pipeline-schemas.ts'
import type { AskedPullRequest } from '../../domain/promotion/pulls.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'

const Text = Type.String()

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
})

export function pullRequestBody({ pull, stage, createdBy }: AskedPullRequest) {
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
    mergeable: pull.mergeable,
  }
}
