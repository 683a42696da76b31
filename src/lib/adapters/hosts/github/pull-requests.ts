import { Type } from 'typebox'
import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, HostApi, NewPullRequest, PullRequest } from '../../../ports/git-host.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import {
  type Answer,
  apiPath,
  type HostClient,
  hostError,
  messageOf,
} from '../hosted/api/client.ts'
import type { Branches } from '../hosted/branches.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf, notFound, pathOf } from '../hosted/known-repositories.ts'
import { addExtras } from '../hosted/pull-request-extras.ts'
import { type PullRequestApi, pullsApi } from '../hosted/pull-requests.ts'
import { outcomeOf, type Outcomes } from '../hosted/told.ts'
import { gitHubRefusal } from './api/refusal.ts'

const PER_PAGE = 100

export const pullRequestApi = (hosted: Hosted): PullRequestApi => ({
  ...pullsApi(hosted.clock, 0, ({ owner }, { head, base }) => ({
    ...(head !== undefined && { head: `${owner}:${head}` }),
    ...(base !== undefined && { base }),
    sort: 'created',
    direction: 'desc',
    per_page: PER_PAGE,
  })),
  ofCommit: (repository, commit) => ({
    path: `${pathOf(repository)}${apiPath`/commits/${commit}/pulls`}`,
    query: { per_page: PER_PAGE },
  }),
  opensEmpty: false,
  isEarly: ({ status, json }) => status === 422 && UNSEEN.test(JSON.stringify(json)),
  failureOf: (repository, request, answer) =>
    failureOf(hosted.branches, repository, request, answer),
  addExtras: (repository, number) =>
    addExtras(hosted, repository, number, hosted.pullRequests.labels),
})

const NO_COMMITS = /No commits between/i
/** A head that GitHub does not see, or sees as it was. */
const UNSEEN = /"field":"head(?:_sha)?"|No commits between/i

/** GitHub refuses with 422 for many reasons, told apart by text alone. */
async function failureOf(
  branches: Pick<Branches, 'tipOf'>,
  repository: RepositoryId,
  { head, base }: NewPullRequest,
  answer: Answer,
): Promise<GitFailure> {
  if (answer.status !== 422) {
    const subject = { repository: nameOf(repository), right: 'pull_requests: write' }
    // The repository is there, so that 404 means a right that we lack.
    return answer.status === 404
      ? { kind: 'git_denied', what: `${subject.right} on ${subject.repository}` }
      : gitHubRefusal(answer, subject)
  }
  if (NO_COMMITS.test(JSON.stringify(answer.json))) {
    return { kind: 'git_nothing_to_commit' }
  }
  for (const branch of [head, base]) {
    const tip = await branches.tipOf(repository, branch)
    if (!tip.ok) return tip.error
    if (tip.value === null) return notFound('branch').error
  }
  return hostError(`refused a pull request of ${head}: ${messageOf(answer)}`).error
}

const DEADLINE_MS = 8_000
const REVIEWS_MAX = 50

const State = Maybe(Type.Object({ state: Type.String() }))

const Described = Type.Object({
  number: Type.Integer(),
  isDraft: Maybe(Type.Boolean()),
  /** `null`: no rule asks for a review. */
  reviewDecision: Maybe(Type.String()),
  /** The newest judgement of each person who may write. */
  latestOpinionatedReviews: Maybe(Type.Object({ nodes: Maybe(Type.Array(State)) })),
  mergeQueueEntry: State,
  mergeable: Maybe(Type.String()),
  statusCheckRollup: State,
})

const readAnswer = answerReader(
  'the facts of pull requests',
  Type.Object({
    data: Type.Object({ repository: Type.Record(Type.String(), Maybe(Described)) }),
    errors: Type.Optional(Type.Array(Type.Object({ path: Maybe(Type.Array(Type.Unknown())) }))),
  }),
)

/** Fields of GitHub's GraphQL API, and of that of an Enterprise Server from 3.17 on. */
const FIELDS = `number isDraft mergeable reviewDecision mergeQueueEntry { state } statusCheckRollup { state } \
latestOpinionatedReviews(first: ${REVIEWS_MAX}, writersOnly: true) { nodes { state } }`

const questionOf = (pulls: readonly PullRequest[]): string =>
  `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${pulls
    .map(({ number }) => `pull${number}: pullRequest(number: ${number}) { ...facts }`)
    .join(' ')} } } fragment facts on PullRequest { ${FIELDS} }`

/** A server that does not have one of the fields refuses the whole question; rights are missing field by field. */
export const createDescribe =
  (graphql: Pick<HostClient, 'write'>): HostApi['describePullRequests'] =>
  async ({ owner, name }, pulls) => {
    const body = { query: questionOf(pulls), variables: { owner, name } }
    const answer = await graphql.write('POST', '/graphql', body, {
      deadlineMs: DEADLINE_MS,
      isQuestion: true,
    })
    const read = answer.ok ? readAnswer(answer.value) : answer
    if (!read.ok) return new Map()
    const { data, errors = [] } = read.value
    const refused = new Set(errors.map(({ path }) => path?.slice(1, 3).join('.')))
    return new Map(
      Object.entries(data.repository).flatMap(([alias, described]) =>
        described
          ? [[described.number, factsOf(described, (field) => refused.has(`${alias}.${field}`))]]
          : [],
      ),
    )
  }

function factsOf(
  described: Type.Static<typeof Described>,
  isRefused: (field: keyof typeof described) => boolean,
): PullRequestFacts {
  const { isDraft, mergeQueueEntry, statusCheckRollup } = described
  return {
    checks: isRefused('statusCheckRollup') ? null : outcomeOf(CHECKS, statusCheckRollup?.state),
    review:
      isRefused('reviewDecision') || isRefused('latestOpinionatedReviews')
        ? null
        : reviewOf(described),
    draft: isDraft ?? null,
    queued: isRefused('mergeQueueEntry') ? null : (mergeQueueEntry ?? null) !== null,
    mergeable: MERGEABLE.get(described.mergeable ?? '') ?? 'unknown',
  }
}

/** "MergeableState". */
const MERGEABLE: ReadonlyMap<string, PullRequestFacts['mergeable']> = new Map([
  ['MERGEABLE', 'clean'],
  ['CONFLICTING', 'conflicting'],
])

/** "StatusState". */
const CHECKS: Outcomes<PullRequestFacts['checks']> = [
  ['none', [undefined]],
  ['passing', ['SUCCESS']],
  ['failing', ['FAILURE', 'ERROR']],
  ['pending', ['PENDING', 'EXPECTED']],
]

/** "PullRequestReviewDecision", which there is only where a rule asks for reviews. */
const REVIEWS: Outcomes<PullRequestFacts['review']> = [
  ['none', [undefined]],
  ['approved', ['APPROVED']],
  ['changes_requested', ['CHANGES_REQUESTED']],
  ['required', ['REVIEW_REQUIRED']],
]

function reviewOf({
  reviewDecision,
  latestOpinionatedReviews: latest,
}: Type.Static<typeof Described>): PullRequestFacts['review'] {
  const states = (latest?.nodes ?? []).map((review) => review?.state)
  const given = ['CHANGES_REQUESTED', 'APPROVED'].find((state) => states.includes(state))
  return outcomeOf(REVIEWS, reviewDecision ?? given)
}
