import { type Static, Type } from 'typebox'
import type { HostApi } from '../../../ports/git-host.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { Maybe } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { pathOf } from '../hosted/known-repositories.ts'
import { outcomeOf, type Outcomes, toldBy } from '../hosted/told.ts'

/** A full page may have a next one. */
const REVIEWS_MAX = 50

/** `[repository.pull-request] WORK_IN_PROGRESS_PREFIXES` of Gitea, as it is by default. */
const DRAFT_TITLE = /^(?:WIP:|\[WIP\])/i

const CombinedStatus = Type.Object({
  /** An empty text without a status. */
  state: Maybe(Type.String()),
  total_count: Maybe(Type.Integer()),
})
const Reviews = Type.Array(
  Type.Object({
    state: Type.String(),
    user: Maybe(Type.Object({ login: Type.String() })),
    dismissed: Maybe(Type.Boolean()),
    /** By somebody whose approval counts. */
    official: Maybe(Type.Boolean()),
  }),
)
const Branch = Type.Object({ required_approvals: Maybe(Type.Integer()) })

/** Two requests for each pull request, and one for each base. */
export const createDescribe = (
  client: Pick<HostClient, 'read'>,
): HostApi['describePullRequests'] => {
  const told = toldBy(client)
  const readStatus = told('the status of a commit', CombinedStatus)
  const readReviews = told('reviews', Reviews)
  const readBranch = told('a branch', Branch)

  return async (repository, pulls) => {
    const path = pathOf(repository)
    const bases = new Map(
      [...new Set(pulls.map(({ base }) => base))].map((base) => [
        base,
        readBranch(`${path}${apiPath`/branches/${base}`}`),
      ]),
    )
    const facts = pulls.map(async ({ number, title, draft, base, head, mergeable }) => {
      const [status, reviews, branch] = await Promise.all([
        readStatus(`${path}${apiPath`/commits/${head.commit}/status`}`),
        readReviews(`${path}${apiPath`/pulls/${number}/reviews`}`, { limit: REVIEWS_MAX }),
        bases.get(base),
      ])
      // Left out, so that a failure is no answer.
      if (status === null && reviews === null) return []
      const described: PullRequestFacts = {
        checks: status && checksOf(status),
        review: reviews && reviewOf(reviews, branch?.required_approvals ?? 0),
        draft: draft ?? DRAFT_TITLE.test(title),
        queued: false,
        mergeable,
      }
      return [[number, described] as const]
    })
    return new Map((await Promise.all(facts)).flat())
  }
}

/** "CommitStatusState". */
const CHECKS: Outcomes<PullRequestFacts['checks']> = [
  ['none', [undefined, '']],
  ['passing', ['success', 'warning', 'skipped']],
  ['failing', ['failure', 'error']],
  ['pending', ['pending']],
]

const checksOf = ({ state, total_count: count }: Static<typeof CombinedStatus>) =>
  count === 0 ? 'none' : outcomeOf(CHECKS, state ?? undefined)

/** The last judgement of each person counts; one against a merge, unless it is not official. They come in the order of their time. `null`: there may be more of them. */
function reviewOf(reviews: Static<typeof Reviews>, required: number): PullRequestFacts['review'] {
  if (reviews.length >= REVIEWS_MAX) return null
  const judgements = reviews.filter(
    ({ state, dismissed }) =>
      dismissed !== true && (state === 'APPROVED' || state === 'REQUEST_CHANGES'),
  )
  const last = [...new Map(judgements.map((each) => [each.user?.login, each])).values()]
  const isAgainst = last.some(
    ({ state, official }) => state === 'REQUEST_CHANGES' && official !== false,
  )
  if (isAgainst) return 'changes_requested'
  const approvals = last.filter(
    ({ state, official }) => state === 'APPROVED' && (required === 0 || official === true),
  )
  if (approvals.length < required) return 'required'
  return approvals.length > 0 ? 'approved' : 'none'
}
