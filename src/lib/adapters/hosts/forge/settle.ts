import type { ObjectId } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { findMergeCommit, type History } from '../../../git/history.ts'
import { hostError } from '../../../git/git.ts'
import { writeBlob } from '../../../git/objects.ts'
import type { PullRecord, PullState } from './pull-record.ts'
import {
  pullHeadRef,
  pullRecordRef,
  tipOf,
  type Pull,
  type PullReader,
  type PullSnapshot,
} from './pulls.ts'
import type { RefChange } from '../../../git/refs.ts'
import type { OpenRepository } from './repositories.ts'

const ATTEMPTS = 5

/**
 * Reads the pull requests, and first brings open ones in line with their branches, which pushes and other processes move:
 * - the base contains its last commit: it was merged;
 * - a branch is gone, or has nothing that the base does not have: it is closed;
 * - its branch moved: its head follows.
 */
export async function settlePulls(
  repository: OpenRepository,
  readPulls: PullReader,
  history: History,
  now: () => number,
): GitAnswer<PullSnapshot> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const snapshot = await readPulls(repository)
    if (!snapshot.ok) return snapshot
    const edits = await findEdits(repository.directory, snapshot.value, history, now())
    if (!edits.ok) return edits
    if (edits.value.length === 0) return snapshot
    const outcome = await repository.changeRefs(edits.value)
    if (!outcome.ok) return outcome
  }
  return err(hostError('the branches move faster than the pull requests can follow'))
}

async function findEdits(
  directory: string,
  snapshot: PullSnapshot,
  history: History,
  now: number,
): GitAnswer<readonly RefChange[]> {
  const edits: RefChange[] = []
  const open = snapshot.pulls.filter(({ record }) => record.state.kind === 'open')
  for (const [branch, pulls] of Map.groupBy(open, ({ record }) => record.base)) {
    const base = tipOf(snapshot, branch)
    const heads = pulls.flatMap(({ head, record }) => [head, tipOf(snapshot, record.head) ?? head])
    const contained = await history.containedIn(directory, base, heads)
    if (!contained.ok) return contained
    for (const pull of pulls) {
      const edit = await findEdit(directory, pull, {
        base,
        tip: tipOf(snapshot, pull.record.head),
        contained: contained.value,
        now,
      })
      if (!edit.ok) return edit
      if (edit.value !== undefined) edits.push(edit.value)
    }
  }
  return ok(edits)
}

interface BranchState {
  /** Tip of the base branch. */
  readonly base: ObjectId | undefined
  /** Tip of the proposed branch. */
  readonly tip: ObjectId | undefined
  /** Commits that the base contains. */
  readonly contained: ReadonlySet<ObjectId>
  readonly now: number
}

async function findEdit(
  directory: string,
  pull: Pull,
  { base, tip, contained, now }: BranchState,
): GitAnswer<RefChange | undefined> {
  if (base !== undefined && contained.has(pull.head)) {
    const commit = await findMergeCommit(directory, base, pull.head)
    if (!commit.ok) return commit
    return editState(directory, pull, { kind: 'merged', at: now, commit: commit.value, by: null })
  }
  if (base === undefined || tip === undefined || contained.has(tip)) {
    return editState(directory, pull, { kind: 'closed', at: now, by: null })
  }
  if (tip === pull.head) return ok(undefined)
  return ok({ ref: pullHeadRef(pull.number), before: pull.head, after: tip })
}

const editState = (directory: string, pull: Pull, state: PullState) =>
  editRecord(directory, pull, { state })

/** The edit that changes the record of a pull request; it loses when somebody else changed it in between. */
export async function editRecord(
  directory: string,
  { number, record, blob }: Pull,
  changes: Partial<Pick<PullRecord, 'state' | 'approvals'>>,
): GitAnswer<RefChange> {
  const after = await writeBlob(directory, JSON.stringify({ ...record, ...changes }))
  return after.ok ? ok({ ref: pullRecordRef(number), before: blob, after: after.value }) : after
}
