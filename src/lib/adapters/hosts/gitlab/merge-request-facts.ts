import { type Static, Type } from 'typebox'
import type { HostApi } from '../../../ports/git-host.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { Maybe } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { outcomeOf, type Outcomes, toldBy } from '../hosted/told.ts'
import { MERGE_STATUS, mergeableOf } from './merge-requests.ts'
import { projectPath } from './project.ts'

const CARS_MAX = 100

const MergeRequest = Type.Object({
  draft: Maybe(Type.Boolean()),
  /** `null`: no pipeline ran for the last commit. */
  head_pipeline: Maybe(Type.Object({ status: Type.String() })),
  ...MERGE_STATUS,
})
const Approvals = Type.Object({
  approved_by: Maybe(Type.Array(Type.Unknown())),
  /** Required ones that are missing; of Premium. */
  approvals_left: Maybe(Type.Integer()),
})
const MergeTrain = Type.Array(Type.Object({ merge_request: Type.Object({ iid: Type.Integer() }) }))

/** Two requests for each merge request, and one for the merge trains, which GitLab refuses below Premium. */
export const createDescribe = (
  client: Pick<HostClient, 'read'>,
): HostApi['describePullRequests'] => {
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
