import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../names.ts'
import type { HostApi } from '../../../ports/git-host.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { Maybe } from '../hosted/api/answer-reader.ts'
import { apiPath, refusalOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import { addExtras } from '../hosted/pull-request-extras.ts'
import { type PullRequestApi, pullsApi } from '../hosted/pull-requests.ts'
import { outcomeOf, type Outcomes, toldBy } from '../hosted/told.ts'

/** Pages of labels. */
const PAGES_MAX = 20
const Label = Compile(Type.Object({ id: Type.Integer(), name: Type.String() }))
/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PER_PAGE = 50
/** Gitea says `mergeable: false` while it computes, too. */
const SETTLING_MS = 60_000

export const pullRequestApi = (hosted: Hosted): PullRequestApi => ({
  ...pullsApi(hosted.clock, SETTLING_MS, (_, { base }) => ({
    limit: PER_PAGE,
    ...(base !== undefined && { base_branch: base }),
  })),
  // Gitea from 1.22 on, and Forgejo. Some proxies decode `%2F`.
  betweenPath: (repository, { base, head }) =>
    base.includes('/') ? null : `${pathOf(repository)}/pulls${apiPath`/${base}/${head}`}`,
  ofCommit: (repository, commit) => ({
    path: `${pathOf(repository)}${apiPath`/commits/${commit}/pull`}`,
    none: 404,
  }),
  opensEmpty: true,
  isEarly: () => false,
  failureOf: async (repository, _, answer) =>
    answer.status === 404
      ? hosted.known.absent(repository, 'branch')
      : refusalOf(answer, {
          repository: nameOf(repository),
          right: 'issues and pull requests: write',
        }),
  addExtras: (repository, number) => addLabelsAndReviewers(hosted, repository, number),
})

async function addLabelsAndReviewers(
  hosted: Hosted,
  repository: RepositoryId,
  number: number,
): Promise<void> {
  const { labels } = hosted.pullRequests
  const ids = await (labels.length === 0
    ? new Map<string, number>()
    : labelIds(hosted.client, repository, labels))
  const missing = labels.filter((label) => !ids.has(label))
  if (missing.length > 0) {
    hosted.log.warn(
      { repository: nameOf(repository), number, missing },
      'labels of a new pull request do not exist at the git host',
    )
  }
  await addExtras(hosted, repository, number, [...ids.values()])
}

/** Ids of labels of a repository and of its organisation, by name; Gitea before 1.23 takes labels by id alone. */
async function labelIds(
  client: Hosted['client'],
  repository: RepositoryId,
  labels: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (const path of [apiPath`/orgs/${repository.owner}/labels`, `${pathOf(repository)}/labels`]) {
    const pages = await client.readPages(path, {
      query: { limit: PER_PAGE },
      pagesMax: PAGES_MAX,
    })
    // Refused: the owner is a person.
    if (!pages.ok || pages.value.kind === 'refused') continue
    for (const item of pages.value.items) {
      if (Label.Check(item) && labels.includes(item.name)) ids.set(item.name, item.id)
    }
  }
  return ids
}

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
export const createDescribe = ({
  client,
}: Pick<Hosted, 'client'>): HostApi['describePullRequests'] => {
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
