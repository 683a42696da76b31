import { Type } from 'typebox'
import type { SourcePages } from '../../domain/gitops/source-pages.ts'
import { MOVE_KINDS } from '../../domain/promotion/decide.ts'
import type { HistoryRow as Row } from '../../domain/promotion/history/changes.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { timeBody } from '../time.ts'
import { Image } from './environment.ts'
import { PullRequestRef, pullRequestRef } from './schemas.ts'

/** A change of an environment. */
export const HistoryRow = Type.Object(
  {
    environment: Environment,
    kind: Type.Enum([...MOVE_KINDS, 'manual'], {
      description: '`manual`: past Portico, by a push or by a pull request of somebody else',
    }),
    image: Nullable(Image),
    previousImage: Nullable(Image),
    commit: Type.String({ description: 'The commit of the default branch that has the change' }),
    commitUrl: Type.String({ description: 'The commit at the git host, for browsers' }),
    at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'The merge, or the commit of a change without a pull request',
      }),
    ),
    askedBy: Nullable(Person),
    mergedBy: Nullable(Person),
    pullRequest: Nullable(PullRequestRef),
  },
  { $id: 'PromotionHistoryRow' },
)

export const historyRowBody = (
  { stage, pull, ...row }: Row,
  pages: Pick<SourcePages, 'commit'>,
) => ({
  environment: stage.environment,
  ...row,
  commitUrl: pages.commit(row.commit),
  at: timeBody(row.at),
  pullRequest: pull && pullRequestRef(pull),
})

const image = (tag: string) => ({
  name: 'registry.example.org/acme/payments-api',
  tag,
  digest: null,
})

export const exampleHistory = [
  {
    environment: 'dev',
    kind: 'release',
    image: image('1.5.0'),
    previousImage: image('1.4.2'),
    commit: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
    commitUrl:
      'https://portal.example.org/acme/gitops/commit/9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
    at: '2026-11-21T09:30:00.000Z',
    askedBy: { subject: 'dev', name: 'Dana Developer' },
    mergedBy: { subject: null, name: 'pat' },
    pullRequest: {
      number: 42,
      title: '[Promote] payments/payments-api → dev',
      url: 'https://portal.example.org/acme/gitops/pulls/42',
      state: 'merged',
    },
  },
  {
    environment: 'dev',
    kind: 'manual',
    image: image('1.4.2'),
    previousImage: null,
    commit: '5c0e7d1b3a29f8e6d4c2b0a1908f7e6d5c4b3a21',
    commitUrl:
      'https://portal.example.org/acme/gitops/commit/5c0e7d1b3a29f8e6d4c2b0a1908f7e6d5c4b3a21',
    at: '2026-11-18T14:05:00.000Z',
    askedBy: { subject: null, name: 'Pat Platform' },
    mergedBy: null,
    pullRequest: null,
  },
]
