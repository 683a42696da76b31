import type { ObjectId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  Author,
  GitAnswer,
  GitFailure,
  GitResult,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/commit.ts'
import type { PullRequestFacts } from '../../../ports/git-host/pull-request.ts'
import { allOk, err, ok } from '../../../result.ts'
import { readChangedFiles } from './diff.ts'
import type { Approver, Forge, ForgeAnswer, ForgeFailure, Review } from '../../../ports/forge.ts'
import { gitText, hostError } from '../../../git/git.ts'
import { createHistory } from '../../../git/history.ts'
import { importCommit } from '../../../git/fast-import.ts'
import { resolveObjects, writeBlob } from '../../../git/objects.ts'
import {
  approvalsOf,
  createSettling,
  editRecord,
  findPull,
  type Pull,
  pullHeadRef,
  type PullRecord,
  pullRecordRef,
  type PullSnapshot,
  selectPulls,
  tipOf,
  toPullRequest,
} from './pulls.ts'
import { branchRef, retryLost, type LostRace, type RefEdit } from '../../../git/refs.ts'
import type { OpenRepository } from './repositories.ts'

const OPEN_ATTEMPTS = 20
const CHANGE_ATTEMPTS = 3
/** Upper bound of trial merges per listing; a listing that needs more says `unknown`. */
const MERGES_PER_LIST_MAX = 10

type MergeRequest = Parameters<Forge['mergePullRequest']>[2]

/** Operations on the pull requests of a repository. Each settles them first. */
export function createPullRequests(clock: Clock, approvalsRequired: number) {
  const history = createHistory()
  const settle = createSettling(history, clock)

  const openBaseOf = (snapshot: PullSnapshot, { record }: Pull) =>
    record.state.kind === 'open' ? tipOf(snapshot, record.base) : undefined

  const isUntried = (snapshot: PullSnapshot, pull: Pull) => {
    const base = openBaseOf(snapshot, pull)
    return base !== undefined && history.knownMergeable(base, pull.head) === undefined
  }

  async function present(
    { directory, urlOf }: OpenRepository,
    snapshot: PullSnapshot,
    pull: Pull,
    mayTryMerge = true,
  ): GitAnswer<PullRequest> {
    const base = openBaseOf(snapshot, pull)
    if (base !== undefined && mayTryMerge && isUntried(snapshot, pull)) {
      const merge = await history.tryMerge(directory, base, pull.head)
      if (!merge.ok) return merge
    }
    const mergeable = base && history.knownMergeable(base, pull.head)
    return ok(toPullRequest(pull, mergeable ?? 'unknown', urlOf(pull.number)))
  }

  async function find(
    repository: OpenRepository,
    filter: PullRequestFilter,
  ): GitAnswer<readonly PullRequest[]> {
    const snapshot = await settle(repository)
    if (!snapshot.ok) return snapshot
    const pulls = selectPulls(snapshot.value, filter)
    const untried = pulls.filter((pull) => isUntried(snapshot.value, pull))
    const mayTryMerge = untried.length <= MERGES_PER_LIST_MAX
    const presented: PullRequest[] = []
    for (const pull of pulls) {
      const pullRequest = await present(repository, snapshot.value, pull, mayTryMerge)
      if (!pullRequest.ok) return pullRequest
      presented.push(pullRequest.value)
    }
    return ok(presented)
  }

  async function findMerged(
    repository: OpenRepository,
    merged: MergedCommit,
  ): GitAnswer<PullRequest | null> {
    const snapshot = await settle(repository)
    if (!snapshot.ok) return snapshot
    const pull = mergedBy(snapshot.value, merged)
    return pull === undefined ? ok(null) : present(repository, snapshot.value, pull)
  }

  type OpenOutcome = GitResult<{ readonly pullRequest: PullRequest; readonly created: boolean }>

  /**
   * One transaction gives the pull request its number, its head and its record. The loser of a race for the number reads
   * afresh and finds the winner's pull request: numbers and open pull requests between two branches are unique across processes.
   */
  const open = (
    repository: OpenRepository,
    { title, body, author, head, base }: NewPullRequest,
  ): Promise<OpenOutcome> =>
    retryLost(OPEN_ATTEMPTS, async (): Promise<OpenOutcome | LostRace<GitFailure>> => {
      const settled = await settle(repository)
      if (!settled.ok) return settled
      const snapshot = settled.value
      const answer = async (pull: Pull, created: boolean): Promise<OpenOutcome> => {
        const pullRequest = await present(repository, snapshot, pull)
        return pullRequest.ok ? ok({ pullRequest: pullRequest.value, created }) : pullRequest
      }
      const existing = snapshot.pulls.find(
        ({ record }) =>
          record.state.kind === 'open' && record.head === head && record.base === base,
      )
      if (existing !== undefined) return answer(existing, false)

      const tip = tipOf(snapshot, head)
      const openedOn = tipOf(snapshot, base)
      if (tip === undefined || openedOn === undefined) {
        return err({ kind: 'git_not_found', what: 'branch' })
      }
      const contained = await history.containedIn(repository.directory, openedOn, [tip])
      if (!contained.ok) return contained
      if (contained.value.has(tip)) return err({ kind: 'git_nothing_to_commit' })

      const number = (snapshot.pulls[0]?.number ?? 0) + 1
      const record: PullRecord = {
        version: 1,
        title,
        body,
        author: { ...author },
        head,
        base,
        openedOn,
        createdAt: clock.now(),
        state: { kind: 'open' },
      }
      const blob = await writeBlob(repository.directory, JSON.stringify(record))
      if (!blob.ok) return blob
      const outcome = await repository.changeRefs([
        { ref: branchRef(head), unmovedFrom: tip },
        { ref: pullHeadRef(number), before: null, after: tip },
        // Last: a reader that finds a record finds its head.
        { ref: pullRecordRef(number), before: null, after: blob.value },
      ])
      if (!outcome.ok) return outcome
      return outcome.value === 'changed'
        ? answer({ number, record, blob: blob.value, head: tip }, true)
        : { lost: hostError('the pull request lost every race for a number') }
    })

  /** Changes an open pull request by the edits of `editsOf`. A lost race is repeated as long as the pull request is open. */
  const change = (
    repository: OpenRepository,
    number: number,
    editsOf: (pull: Pull, snapshot: PullSnapshot) => ForgeAnswer<readonly RefEdit[]>,
  ): ForgeAnswer<PullRequest> =>
    retryLost<PullRequest, ForgeFailure>(CHANGE_ATTEMPTS, async () => {
      const settled = await settle(repository)
      if (!settled.ok) return settled
      const pull = findPull(settled.value, number)
      if (!pull.ok) return pull
      const { state, base } = pull.value.record
      if (state.kind !== 'open') {
        return err({ kind: 'forge_pull_request_not_open', state: state.kind })
      }
      const edits = await editsOf(pull.value, settled.value)
      if (!edits.ok) return edits
      const outcome = await repository.changeRefs(edits.value)
      if (!outcome.ok) return outcome
      if (outcome.value === 'lost') return { lost: { kind: 'git_conflict', branch: base } }

      const after = await settle(repository)
      if (!after.ok) return after
      const changed = findPull(after.value, number)
      return changed.ok ? present(repository, after.value, changed.value) : changed
    })

  const merge = (
    repository: OpenRepository,
    number: number,
    { by, expectedHead, rawPaths }: MergeRequest,
  ): ForgeAnswer<PullRequest> =>
    change(repository, number, async (pull, snapshot) => {
      const { directory, signing } = repository
      const { head, record } = pull
      if (expectedHead !== undefined && expectedHead !== head) {
        return err({ kind: 'forge_head_moved', head })
      }
      const approvals = approvalsOf(pull).length
      if (approvals < approvalsRequired) {
        return err({ kind: 'forge_approvals_missing', approvals, required: approvalsRequired })
      }
      const base = tipOf(snapshot, record.base)
      if (base === undefined) return err({ kind: 'git_not_found', what: 'branch' })
      const outcome = await history.tryMerge(directory, base, head)
      if (!outcome.ok) return outcome
      if (outcome.value.kind === 'conflicting') {
        return err({ kind: 'forge_merge_conflict', rawPaths: outcome.value.paths })
      }
      const { tree } = outcome.value
      if (rawPaths !== undefined) {
        const changed = await readChangedFiles(directory, `${base}..${tree}`)
        if (!changed.ok) return changed
        const others = new Set(changed.value.map((file) => file.rawPath))
        for (const rawPath of rawPaths) others.delete(rawPath)
        if (others.size > 0) return err({ kind: 'forge_merge_conflict', rawPaths: [...others] })
      }
      const at = clock.now()
      const message = `Merge pull request #${number} from ${record.head}\n\n${record.title}`
      const merged = { parent: base, merge: { head, tree }, changes: [] }
      const made = await importCommit(directory, { ...merged, message, author: by, at, signing })
      if (!made.ok) return made
      const { commit } = made.value
      const state = { kind: 'merged', at, commit, by: by.name } as const
      const edit = await editRecord(directory, pull, { state })
      if (!edit.ok) return edit
      return ok([
        { ref: pullHeadRef(number), unmovedFrom: head },
        { ref: branchRef(record.head), unmovedFrom: head },
        { ref: branchRef(record.base), before: base, after: commit },
        edit.value,
      ])
    })

  const close = (
    repository: OpenRepository,
    number: number,
    by: Author,
  ): ForgeAnswer<PullRequest> =>
    change(repository, number, async (pull) => {
      const state = { kind: 'closed', at: clock.now(), by: by.name } as const
      const edit = await editRecord(repository.directory, pull, { state })
      return edit.ok ? ok([edit.value]) : edit
    })

  /** The head stays as it is until the approval is written: an approval is of what somebody has seen. */
  const approve = (
    repository: OpenRepository,
    number: number,
    { by, expectedHead }: { readonly by: Approver; readonly expectedHead: ObjectId },
  ): ForgeAnswer<PullRequest> =>
    change(repository, number, async (pull) => {
      const { head, record } = pull
      if (expectedHead !== head) return err({ kind: 'forge_head_moved', head })
      const approvals = approvalsOf(pull)
      if (approvals.some((one) => isSame(one, by))) return ok([])
      const { issuer, subject, name } = by
      const added = [...approvals, { issuer, subject, name, head, at: clock.now() }]
      const edit = await editRecord(repository.directory, pull, { approvals: added })
      if (!edit.ok) return edit
      return ok([
        { ref: pullHeadRef(number), unmovedFrom: head },
        { ref: branchRef(record.head), unmovedFrom: head },
        edit.value,
      ])
    })

  async function review(repository: OpenRepository, number: number): ForgeAnswer<Review> {
    const snapshot = await settle(repository)
    if (!snapshot.ok) return snapshot
    const found = findPull(snapshot.value, number)
    if (!found.ok) return found
    const pull = found.value
    const range = await rangeOf(repository.directory, snapshot.value, pull)
    if (!range.ok) return range
    const read = await allOk([
      present(repository, snapshot.value, pull),
      authorsOf(repository.directory, range.value),
    ])
    if (!read.ok) return read
    const [pullRequest, emails] = read.value
    const authors = [...new Set([pull.record.author.email, ...emails])]
    return ok({ pullRequest, range: range.value, authors, approvals: approvalsOf(pull) })
  }

  /** The state of the reviews, by the approvals that the repository requires. */
  function judged(pull: Pull): PullRequestFacts['review'] {
    const isApproved = approvalsOf(pull).length >= Math.max(1, approvalsRequired)
    return isApproved ? 'approved' : approvalsRequired > 0 ? 'required' : 'none'
  }

  async function describe(
    repository: OpenRepository,
    pulls: readonly PullRequest[],
  ): GitAnswer<ReadonlyMap<number, PullRequestFacts>> {
    const settled = await settle(repository)
    if (!settled.ok) return settled
    const untried = pulls.filter(({ mergeable }) => mergeable === 'unknown')
    const tried = new Set(untried.slice(0, MERGES_PER_LIST_MAX))
    const described = pulls.map(async (given) => {
      const found = findPull(settled.value, given.number)
      if (!found.ok) return []
      const isTried = tried.has(given)
      const now = isTried ? await present(repository, settled.value, found.value) : null
      const mergeable = now?.ok === true ? now.value.mergeable : given.mergeable
      return [[given.number, { ...FACTS, review: judged(found.value), mergeable }] as const]
    })
    return ok(new Map((await Promise.all(described)).flat()))
  }

  return {
    settle,
    find,
    findMerged,
    open,
    merge,
    close,
    approve,
    review,
    describe,
  }
}

/** There are no checks, no drafts and no queue. */
const FACTS = { checks: 'none', draft: false, queued: false } as const

/** A merge may end several pull requests. Somebody merged one of them, and it contains the others. */
function mergedBy({ pulls }: PullSnapshot, { commit, base }: MergedCommit): Pull | undefined {
  const ended = pulls.flatMap((pull) => {
    const { state } = pull.record
    const isEnded = state.kind === 'merged' && state.commit === commit && pull.record.base === base
    return isEnded ? [{ pull, by: state.by }] : []
  })
  return (ended.find(({ by }) => by !== null) ?? ended[0])?.pull
}

const isSame = (one: Omit<Approver, 'name'>, other: Omit<Approver, 'name'>): boolean =>
  one.issuer === other.issuer && one.subject === other.subject

const AUTHORS_MAX = 1_000

/** E-mail addresses of the authors and committers of commits. */
async function authorsOf(
  directory: string,
  { base, head }: Review['range'],
): GitAnswer<readonly string[]> {
  const args = ['log', '--no-mailmap', '--format=%ae%n%ce', `--max-count=${AUTHORS_MAX}`, head]
  const text = await gitText(directory, [...args, '--not', base, '--'])
  return text.ok ? ok(text.value.split('\n').filter((email) => email !== '')) : text
}

/** The commits of a pull request: from the base while it is open, afterwards from the base as it was. */
async function rangeOf(
  directory: string,
  snapshot: PullSnapshot,
  { number, record, head }: Pull,
): GitAnswer<Review['range']> {
  const { state, openedOn, base: branch } = record
  const tip = tipOf(snapshot, branch)
  if (state.kind === 'open' && tip !== undefined) return ok({ base: tip, head })
  const byMergeCommit = state.kind === 'merged' && state.commit !== head
  const found = await resolveObjects(directory, [byMergeCommit ? `${state.commit}^1` : openedOn])
  if (!found.ok) return found
  const base = found.value[0]?.id
  return base === undefined
    ? err(hostError(`the base of pull request ${number} cannot be read`))
    : ok({ base, head })
}
