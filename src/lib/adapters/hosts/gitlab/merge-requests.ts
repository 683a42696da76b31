import { type Static, Type } from 'typebox'
import { BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { HostApi, PullRequest } from '../../../ports/git-host.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { ok } from '../../../result.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient, messageOf, refusalOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import { timeOf } from '../hosted/pull-answer.ts'
import type { PullRequestApi } from '../hosted/pull-requests.ts'
import { outcomeOf, type Outcomes, toldBy } from '../hosted/told.ts'
import { projectPath } from './project.ts'

const PER_PAGE = 100
const OPEN = new Set(['opened', 'locked'])

const Person = Maybe(Type.Object({ username: Type.String() }))

const MergeRequest = Type.Object({
  iid: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  description: Maybe(Type.String()),
  web_url: Type.String(),
  /** `locked`: a merge is under way. */
  state: Type.Enum(['opened', 'closed', 'locked', 'merged']),
  source_branch: Type.String(),
  target_branch: Type.String(),
  /** `null` once a fork is deleted. */
  source_project_id: Maybe(Type.Integer()),
  target_project_id: Type.Integer(),
  /** The last commit of the source branch. */
  sha: Maybe(Type.String()),
  author: Person,
  created_at: Type.String(),
  merged_at: Maybe(Type.String()),
  closed_at: Maybe(Type.String()),
  merge_user: Person,
  merge_commit_sha: Maybe(Type.String()),
  squash_commit_sha: Maybe(Type.String()),
  /** The first check that fails; others may fail too. */
  detailed_merge_status: Maybe(Type.String()),
  merge_status: Maybe(Type.String()),
  has_conflicts: Maybe(Type.Boolean()),
  draft: Maybe(Type.Boolean()),
  /** `null`: no pipeline ran for the last commit. Lists do not have it. */
  head_pipeline: Maybe(Type.Object({ status: Type.String() })),
})
type MergeRequestAnswer = Static<typeof MergeRequest>
const readMergeRequests = answerReader('merge requests', Type.Array(MergeRequest))

const listPath = (repository: RepositoryId, iid?: number): string =>
  `${projectPath(repository)}/merge_requests${iid === undefined ? '' : apiPath`/${iid}`}`

/** GitLab finds the merge requests of a merge or squash commit, and of each commit of the branch. */
export const mergeRequestApi = (hosted: Hosted): PullRequestApi => ({
  pathOf: listPath,
  queryOf: (_, { head, base, state }) => ({
    // One that is locked while it merges is open, and GitLab lists it as such nowhere: a duplicate is looked for among all.
    state: head !== undefined || state === undefined ? 'all' : state === 'open' ? 'opened' : state,
    ...(head !== undefined && { source_branch: head }),
    ...(base !== undefined && { target_branch: base }),
    // Lists do not begin a check for conflicts by themselves.
    ...(state === 'open' && { with_merge_status_recheck: 'true' }),
    order_by: 'created_at',
    sort: 'desc',
    per_page: PER_PAGE,
  }),
  read(_, items) {
    const read = readMergeRequests({ json: items })
    return read.ok ? ok(read.value.flatMap((item) => toPullRequest(item) ?? [])) : read
  },
  bodyOf: ({ head, base, title, body }) => ({
    source_branch: head,
    target_branch: base,
    title,
    description: withoutQuickActions(body),
  }),
  ofCommit: (repository, commit) => ({
    path: `${projectPath(repository)}${apiPath`/repository/commits/${commit}/merge_requests`}`,
    query: { state: 'merged', per_page: PER_PAGE },
  }),
  opensEmpty: true,
  // From 19.0 on GitLab looks for the branch among those that it has noticed, which follow pushes in the background.
  isEarly: (answer) =>
    answer.status === 400 && /source_branch.*does not exist/.test(messageOf(answer)),
  failureOf: async (repository, _, answer) =>
    refusalOf(answer, { repository: nameOf(repository), right: 'role Developer' }),
  addExtras: (repository, number) => addExtras(hosted, repository, number),
})

/** GitLab executes lines such as `/merge` with our rights. Markdown shows an escaped slash as a slash. */
const withoutQuickActions = (body: string): string => body.replaceAll(/^([ \t]*)\//gm, '$1\\/')
const withSlashes = (body: string): string => body.replaceAll(/^([ \t]*)\\\//gm, '$1/')

/** `null`: the source branch is one of a fork, or a name is no `BranchName`. */
function toPullRequest(answer: MergeRequestAnswer): PullRequest | null {
  const { merge_commit_sha: merge, squash_commit_sha: squash } = answer
  const branch = BranchName.parse(answer.source_branch)
  const base = BranchName.parse(answer.target_branch)
  const commit = ObjectId.parse(answer.sha)
  const createdAt = timeOf(answer.created_at)
  if (branch === undefined || base === undefined || commit === undefined) return null
  if (createdAt === null || answer.source_project_id !== answer.target_project_id) return null
  const isMerged = answer.state === 'merged'
  const isOpen = OPEN.has(answer.state)
  return {
    number: answer.iid,
    title: answer.title,
    body: withSlashes(answer.description ?? ''),
    url: answer.web_url,
    state: isMerged ? 'merged' : isOpen ? 'open' : 'closed',
    head: { branch, commit },
    base,
    mergeable: answer.state === 'opened' ? mergeableOf(answer) : 'unknown',
    createdBy: answer.author?.username ?? 'ghost',
    createdAt,
    closedAt: isOpen ? null : timeOf(isMerged ? answer.merged_at : answer.closed_at),
    // A fast-forward merge has no commit of its own.
    mergeCommit: isMerged ? (ObjectId.parse(merge ?? squash) ?? commit) : null,
    mergedBy: isMerged ? (answer.merge_user?.username ?? null) : null,
  }
}

/** Other states than these two say what else is missing, such as an approval; `merge_status` is about conflicts alone. */
function mergeableOf(answer: MergeRequestAnswer): PullRequest['mergeable'] {
  const { detailed_merge_status: status, has_conflicts: hasConflicts } = answer
  if (status === 'conflict' || hasConflicts === true) return 'conflicting'
  return status === 'mergeable' || answer.merge_status === 'can_be_merged' ? 'clean' : 'unknown'
}

/** The merge request is open already, so that a failure is logged and no more. Labels that do not exist are made by GitLab. */
async function addExtras(
  { client, log, pullRequests: { labels, reviewers } }: Hosted,
  repository: RepositoryId,
  number: number,
): Promise<void> {
  const warn = (more: object, text: string) =>
    log.warn({ repository: nameOf(repository), number, ...more }, text)
  const teams = reviewers.filter(({ kind }) => kind === 'team').map(({ name }) => name)
  if (teams.length > 0) warn({ teams }, 'a team cannot be a reviewer at GitLab')
  const ids: number[] = []
  for (const { kind, name } of reviewers) {
    if (kind === 'team') continue
    const id = await userId(client, name)
    if (id === null) warn({ reviewer: name }, 'a reviewer of a new pull request is not found')
    else ids.push(id)
  }
  if (labels.length === 0 && ids.length === 0) return
  const answer = await client.write('PUT', listPath(repository, number), {
    ...(labels.length > 0 && { add_labels: labels.join(',') }),
    ...(ids.length > 0 && { reviewer_ids: ids }),
  })
  if (answer.ok && answer.value.status === 200) return
  const reason = answer.ok
    ? `answered with ${answer.value.status}: ${messageOf(answer.value)}`
    : failureText(answer.error)
  warn({ reason }, 'a new pull request has no labels and reviewers')
}

const readUsers = answerReader('people', Type.Array(Type.Object({ id: Type.Integer() })))

async function userId(client: HostClient, username: string): Promise<number | null> {
  const answer = await client.read('/users', { query: { username } })
  const read = answer.ok && answer.value.status === 200 ? readUsers(answer.value) : null
  return read?.ok === true ? (read.value[0]?.id ?? null) : null
}

const CARS_MAX = 100

const Approvals = Type.Object({
  approved_by: Maybe(Type.Array(Type.Unknown())),
  /** Required ones that are missing; of Premium. */
  approvals_left: Maybe(Type.Integer()),
})
const MergeTrain = Type.Array(Type.Object({ merge_request: Type.Object({ iid: Type.Integer() }) }))

/** Two requests for each merge request, and one for the merge trains, which GitLab refuses below Premium. */
export const createDescribe = ({
  client,
}: Pick<Hosted, 'client'>): HostApi['describePullRequests'] => {
  const told = toldBy(client)
  const readRequest = told('a merge request', MergeRequest)
  const readApprovals = told('approvals', Approvals)
  const readTrains = told('merge trains', MergeTrain)

  return async (repository, pulls) => {
    const path = projectPath(repository)
    const trains = readTrains(`${path}/merge_trains`, { scope: 'active', per_page: CARS_MAX })
    const facts = pulls.map(async ({ number }) => {
      const own = `${path}/merge_requests${apiPath`/${number}`}`
      const [request, approvals, cars] = await Promise.all([
        readRequest(own),
        readApprovals(`${own}/approvals`),
        trains,
      ])
      // Left out, so that a failure is no answer.
      if (request === null && approvals === null) return []
      const described: PullRequestFacts = {
        checks: request && outcomeOf(CHECKS, request.head_pipeline?.status),
        review: reviewOf(request?.detailed_merge_status, approvals),
        draft: request?.draft ?? null,
        mergeable: request === null ? 'unknown' : mergeableOf(request),
        queued: cars && cars.some(({ merge_request: { iid } }) => iid === number),
      }
      return [[number, described] as const]
    })
    return new Map((await Promise.all(facts)).flat())
  }
}

/** "CI/CD pipelines": statuses of a pipeline. One that waits for a person's click is pending. */
const CHECKS: Outcomes<PullRequestFacts['checks']> = [
  ['none', [undefined, 'skipped']],
  ['passing', ['success']],
  ['failing', ['failed', 'canceled', 'canceling']],
  ['pending', ['created', 'manual', 'pending', 'preparing', 'running', 'scheduled']],
  ['pending', ['waiting_for_callback', 'waiting_for_resource']],
]

function reviewOf(
  status: string | null | undefined,
  approvals: Static<typeof Approvals> | null,
): PullRequestFacts['review'] {
  if (status === 'requested_changes') return 'changes_requested'
  if (status === 'not_approved') return 'required'
  if (approvals === null) return null
  if ((approvals.approvals_left ?? 0) > 0) return 'required'
  return (approvals.approved_by ?? []).length > 0 ? 'approved' : 'none'
}
