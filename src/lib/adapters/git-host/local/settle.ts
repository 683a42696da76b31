import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { findMergeCommit, type History } from './history.ts'
import { hostError } from './git.ts'
import { writeBlob } from './objects.ts'
import { writeRecord, type PullState } from './pull-record.ts'
import { pullHeadRef, pullRecordRef, tipOf, type Pull, type Snapshot } from './pull-refs.ts'
import { changeRefs, type RefChange } from './refs.ts'

const ATTEMPTS = 5

export interface Settled extends Snapshot {
  /** What had to be written to make it so. */
  readonly changes: readonly RefChange[]
}

/**
 * Reads the pull requests as they are now. Branches are moved by pushes and by other processes, so that what an open
 * one says of itself is brought in line with them first:
 * - its last commit is in the base: it was merged;
 * - a branch is gone, or nothing of its own is left on it: it is closed;
 * - its branch moved: it follows.
 */
export async function settlePulls(
  directory: string,
  readPulls: (directory: string) => Promise<Result<Snapshot, GitFailure>>,
  history: History,
  now: () => number,
): Promise<Result<Settled, GitFailure>> {
  const changes: RefChange[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const snapshot = await readPulls(directory)
    if (!snapshot.ok) return snapshot
    const edits = await findEdits(directory, snapshot.value, history, now())
    if (!edits.ok) return edits
    if (edits.value.length === 0) return ok({ ...snapshot.value, changes })
    const outcome = await changeRefs(directory, edits.value)
    if (!outcome.ok) return outcome
    if (outcome.value === 'changed') changes.push(...edits.value)
  }
  return err(hostError('the branches move faster than the pull requests can follow'))
}

async function findEdits(
  directory: string,
  snapshot: Snapshot,
  history: History,
  now: number,
): Promise<Result<readonly RefChange[], GitFailure>> {
  const edits: RefChange[] = []
  const open = snapshot.pulls.filter(({ record }) => record.state.kind === 'open')
  for (const [base, pulls] of Map.groupBy(open, ({ record }) => record.base)) {
    const target = tipOf(snapshot, base)
    if (target === undefined) {
      for (const pull of pulls) {
        const edit = await editState(directory, pull, { kind: 'closed', at: now, by: null })
        if (!edit.ok) return edit
        edits.push(edit.value)
      }
      continue
    }
    const heads = pulls.flatMap((pull) => [
      pull.head,
      tipOf(snapshot, pull.record.head) ?? pull.head,
    ])
    const inside = await history.containedIn(directory, target, [...new Set(heads)])
    if (!inside.ok) return inside

    for (const pull of pulls) {
      const tip = tipOf(snapshot, pull.record.head)
      if (inside.value.has(pull.head)) {
        const commit = await findMergeCommit(directory, target, pull.head)
        if (!commit.ok) return commit
        const merged = { kind: 'merged', at: now, commit: commit.value, by: null } as const
        const edit = await editState(directory, pull, merged)
        if (!edit.ok) return edit
        edits.push(edit.value)
      } else if (tip === undefined || inside.value.has(tip)) {
        const edit = await editState(directory, pull, { kind: 'closed', at: now, by: null })
        if (!edit.ok) return edit
        edits.push(edit.value)
      } else if (tip !== pull.head) {
        edits.push({ ref: pullHeadRef(pull.number), before: pull.head, after: tip })
      }
    }
  }
  return ok(edits)
}

/** The edit that gives a pull request another state; it loses when the record was changed in between. */
export async function editState(
  directory: string,
  { number, record, blob }: Pull,
  state: PullState,
): Promise<Result<RefChange, GitFailure>> {
  const after = await writeBlob(directory, writeRecord({ ...record, state }))
  return after.ok ? ok({ ref: pullRecordRef(number), before: blob, after: after.value }) : after
}
