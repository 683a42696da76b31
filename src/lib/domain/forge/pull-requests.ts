import type { ObjectId, RepositoryId } from '../../names.ts'
import type { Changes, Forge, ForgeFailure, Review } from '../../ports/forge.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RequesterStore } from '../../ports/database/requesters.ts'
import type { NewPullRequest, PullRequest } from '../../ports/git-host.ts'
import { allOk, err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Principal } from '../access/principal.ts'
import type { Audit, RequestFacts } from '../audit/audit.ts'
import { onRecord } from '../audit/decision.ts'
import { authorOf } from '../gitops/requesters.ts'
import { mergeRights, type MergeRules } from './rights.ts'

export type PullRequestFailure =
  | ForgeFailure
  | Forbidden
  | DatabaseFailure
  /** Nobody approves what they have opened or committed. */
  | { readonly kind: 'forge_own_pull_request' }

/** A person's act on a pull request. */
export interface PullRequestAct extends RequestFacts {
  readonly repository: RepositoryId
  readonly number: number
  readonly principal: Principal
  /** The last commit that the person has seen; without it the present one. */
  readonly seen?: ObjectId | undefined
}

/** A pull request, and what a person may do with it. */
export interface JudgedPullRequest extends Review {
  readonly team: string | null
  readonly changes: Changes
  /** The groups whose members may merge, close and approve. */
  readonly groups: readonly string[]
  /** The files have decided who these are. */
  readonly isByFiles: boolean
  readonly isAllowed: boolean
  /** The person has opened it, or a commit of it is theirs. */
  readonly isOwn: boolean
}

export interface ForgePullRequestsOptions {
  readonly forge: Forge
  readonly rules: MergeRules
  readonly audit: Pick<Audit, 'decide'>
  readonly requesters: Pick<RequesterStore, 'note' | 'find'>
  /** Called after a change of a repository. Its readers see the change afterwards. */
  readonly changed: (repository: RepositoryId) => Promise<void>
}

export type ForgePullRequests = ReturnType<typeof createForgePullRequests>

/** Acts of people on pull requests of the embedded git host. Each act that a role decides is in the audit trail. */
export function createForgePullRequests({
  forge,
  rules,
  audit,
  requesters,
  changed,
}: ForgePullRequestsOptions) {
  async function judge(
    repository: RepositoryId,
    number: number,
    principal: Principal,
  ): Promise<Result<JudgedPullRequest, ForgeFailure>> {
    const review = await forge.review(repository, number)
    if (!review.ok) return review
    const { pullRequest, authors, range } = review.value
    const [read, known] = await Promise.all([
      allOk([
        forge.browse.about(repository),
        forge.head(repository),
        forge.browse.changes(repository, range),
      ]),
      requesters.find(nameOf(repository), [number]),
    ])
    if (!read.ok) return read
    const [about, head, changes] = read.value
    const rights = mergeRights(rules, {
      repository,
      team: about.team,
      base: pullRequest.base,
      defaultBranch: head.branch,
      files: changes.files,
    })
    const opener = known.ok
      ? known.value.find(({ openedAt }) => openedAt === pullRequest.createdAt)
      : 'unknown'
    const email = authorOf(principal).email.toLowerCase()
    return ok({
      ...review.value,
      ...rights,
      changes,
      isAllowed: authorise(principal, rights.groups).ok,
      isOwn:
        // Without the database people read on, and nobody approves.
        opener === 'unknown' ||
        opener?.subject === principal.subject ||
        authors.some((author) => author.toLowerCase() === email),
    })
  }

  /** The effect is on the commit and the files that were judged, or does not happen. */
  async function act(
    name: 'merge' | 'close' | 'approve',
    { repository, number, principal, seen, requestId, address }: PullRequestAct,
    effect: (
      expectedHead: ObjectId,
      rawPaths: readonly string[] | undefined,
    ) => Promise<Result<PullRequest, ForgeFailure>>,
  ): Promise<Result<PullRequest, PullRequestFailure>> {
    const judged = await judge(repository, number, principal)
    if (!judged.ok) return judged
    const { pullRequest, team, groups, isByFiles, changes, isOwn } = judged.value
    const { commit } = pullRequest.head
    const entry = {
      action: `pull_request.${name}`,
      target: `pull_request/${nameOf(repository)}/${number}`,
      team,
      revision: commit,
      requestId,
      address,
      details: { base: pullRequest.base, head: pullRequest.head.branch },
    }
    const decision = audit.decide(principal)
    const allowed = authorise(principal, groups)
    const refusal: PullRequestFailure | null = !allowed.ok
      ? allowed.error
      : name === 'approve' && isOwn
        ? { kind: 'forge_own_pull_request' }
        : null
    if (refusal !== null) {
      await decision.end({ ...entry, result: 'denied', code: refusal.kind })
      return err(refusal)
    }
    if (seen !== undefined && seen !== commit)
      return err({ kind: 'forge_head_moved', head: commit })
    const granted = { ...entry, groups: allowed.ok ? allowed.value : [] }
    const isPlatform = granted.groups.includes(rules.platformGroup)
    const rawPaths =
      isByFiles && !isPlatform ? changes.files.map((file) => file.rawPath) : undefined
    const outcome = await onRecord(
      decision,
      granted,
      () => effect(commit, rawPaths),
      ({ mergeCommit }) => ({ mergeCommit }),
    )
    if (outcome.ok) await changed(repository)
    return outcome
  }

  return {
    judge,

    merge: (request: PullRequestAct) =>
      act('merge', request, (expectedHead, rawPaths) =>
        forge.mergePullRequest(request.repository, request.number, {
          by: authorOf(request.principal),
          expectedHead,
          rawPaths,
        }),
      ),

    close: (request: PullRequestAct) =>
      act('close', request, () =>
        forge.closePullRequest(request.repository, request.number, authorOf(request.principal)),
      ),

    approve: (request: PullRequestAct) =>
      act('approve', request, (expectedHead) =>
        forge.approvePullRequest(request.repository, request.number, {
          by: request.principal,
          expectedHead,
        }),
      ),

    /** Everybody may propose. */
    async open(
      repository: RepositoryId,
      { subject, name, email }: Principal,
      proposal: Omit<NewPullRequest, 'author'>,
    ): Promise<Result<PullRequest, ForgeFailure>> {
      const author = authorOf({ name, email })
      const opened = await forge.openPullRequest(repository, { ...proposal, author })
      if (!opened.ok) return opened
      const { pullRequest, created } = opened.value
      if (created) {
        const { number, createdAt: openedAt } = pullRequest
        // Its failure leaves the address in the pull request.
        await requesters.note({ repository: nameOf(repository), number, openedAt, subject, name })
        await changed(repository)
      }
      return ok(pullRequest)
    },
  }
}

/** As the audit trail and the stores have it. */
const nameOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`.toLowerCase()
