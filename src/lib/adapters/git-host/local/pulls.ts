import type { BranchName } from '../../../names.ts'
import type {
  GitFailure,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostError } from './git.ts'
import type { History } from './history.ts'
import { writeBlob } from './objects.ts'
import { writeRecord, type PullRecord } from './pull-record.ts'
import { pullHeadRef, pullRecordRef, tipOf, type Pull, type Snapshot } from './pull-refs.ts'
import { branchRef, changeRefs, retryLost, type RefChange } from './refs.ts'
import type { Settled } from './settle.ts'

const LIMIT_DEFAULT = 100
/** Merges tried for one listing; beyond that a listing says `unknown`. */
const MERGES_PER_LIST_MAX = 10
const ATTEMPTS = 20

export function select({ pulls }: Snapshot, filter: PullRequestFilter): readonly Pull[] {
  if ('number' in filter) return pulls.filter(({ number }) => number === filter.number)
  const { state, limit = LIMIT_DEFAULT } = filter
  const heads = filter.heads && new Set(filter.heads)
  return pulls
    .filter(({ record }) => heads === undefined || heads.has(record.head))
    .filter(({ record }) => state === undefined || record.state.kind === state)
    .slice(0, Math.max(0, limit))
}

/** What a host shows of its pull requests, with as much about mergeability as is cheap to find out. */
export async function present(
  directory: string,
  snapshot: Snapshot,
  pulls: readonly Pull[],
  history: History,
  urlOf: (number: number) => string,
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const known = ({ record, head }: Pull) => {
    const base = record.state.kind === 'open' ? tipOf(snapshot, record.base) : undefined
    return base && { base, head, mergeable: history.knownMergeable(base, head) }
  }
  const asked = pulls
    .map(known)
    .filter((merge) => merge !== undefined)
    .filter(({ mergeable }) => mergeable === undefined)
  if (asked.length <= MERGES_PER_LIST_MAX) {
    for (const { base, head } of asked) {
      const outcome = await history.tryMerge(directory, base, head)
      if (!outcome.ok) return outcome
    }
  }
  return ok(
    pulls.map((pull) =>
      toPullRequest(pull, known(pull)?.mergeable ?? 'unknown', urlOf(pull.number)),
    ),
  )
}

function toPullRequest(
  { number, record, head }: Pull,
  mergeable: PullRequest['mergeable'],
  url: string,
): PullRequest {
  const { title, body, author, base, createdAt, state } = record
  return {
    number,
    title,
    body,
    url,
    state: state.kind,
    head: { branch: record.head, commit: head },
    base,
    mergeable,
    createdBy: author.name,
    createdAt,
    closedAt: state.kind === 'open' ? null : state.at,
    mergeCommit: state.kind === 'merged' ? state.commit : null,
  }
}

export interface Opened {
  readonly pull: Pull
  readonly created: boolean
  readonly snapshot: Snapshot
  readonly changes: readonly RefChange[]
}

/**
 * One transaction gives the pull request its number, its head and its record. Whoever loses the number looks again, and
 * then sees the winner's: so a number is given once, and a move has one open pull request, across processes.
 */
export async function openPull(
  directory: string,
  { title, body, author, head, base }: NewPullRequest,
  settle: () => Promise<Result<Settled, GitFailure>>,
  history: History,
  now: number,
): Promise<Result<Opened, GitFailure>> {
  return retryLost<Opened, GitFailure>(ATTEMPTS, async () => {
    const settled = await settle()
    if (!settled.ok) return settled
    const snapshot = settled.value
    const existing = findOpen(snapshot, head, base)
    if (existing !== undefined) {
      return ok({ pull: existing, created: false, snapshot, changes: [] })
    }

    const tip = tipOf(snapshot, head)
    const openedOn = tipOf(snapshot, base)
    if (tip === undefined || openedOn === undefined) {
      return err({ kind: 'git_not_found', what: 'branch' })
    }
    const inside = await history.containedIn(directory, openedOn, [tip])
    if (!inside.ok) return inside
    if (inside.value.has(tip)) return err({ kind: 'git_nothing_to_commit' })

    const number = (snapshot.pulls[0]?.number ?? 0) + 1
    const record: PullRecord = {
      title,
      body,
      author,
      head,
      base,
      openedOn,
      createdAt: now,
      state: { kind: 'open' },
    }
    const blob = await writeBlob(directory, writeRecord(record))
    if (!blob.ok) return blob
    const changes = [
      { ref: pullHeadRef(number), before: null, after: tip },
      // Last: whoever sees a record finds its head.
      { ref: pullRecordRef(number), before: null, after: blob.value },
    ]
    const stillThere = { ref: branchRef(head), unmovedFrom: tip }
    const outcome = await changeRefs(directory, [stillThere, ...changes])
    if (!outcome.ok) return outcome
    if (outcome.value === 'lost') {
      return { lost: hostError('the pull request lost every race for a number') }
    }
    const pull = { number, record, blob: blob.value, head: tip }
    return ok({ pull, created: true, snapshot, changes })
  })
}

const findOpen = ({ pulls }: Snapshot, head: BranchName, base: BranchName) =>
  pulls.find(
    ({ record }) => record.state.kind === 'open' && record.head === head && record.base === base,
  )
