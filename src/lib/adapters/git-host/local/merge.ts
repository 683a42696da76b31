import type { ObjectId } from '../../../names.ts'
import type { Author, GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { ForgeFailure } from './forge.ts'
import { gitText } from './git.ts'
import type { History } from './history.ts'
import { cleanAuthor, cleanMessage } from './identity.ts'
import { idFrom } from './objects.ts'
import { pullHeadRef, tipOf, type Pull, type Snapshot } from './pull-refs.ts'
import { branchRef, changeRefs, retryLost, type Lost, type RefChange } from './refs.ts'
import { editState, type Settled } from './settle.ts'

const ATTEMPTS = 3

type Settle = () => Promise<Result<Settled, GitFailure>>

export async function mergePull(
  directory: string,
  number: number,
  { by, expectedHead }: { readonly by: Author; readonly expectedHead?: ObjectId },
  settle: Settle,
  history: History,
  now: number,
): Promise<Result<readonly RefChange[], ForgeFailure>> {
  return endPull(number, settle, async (pull, snapshot) => {
    const { head, record } = pull
    if (expectedHead !== undefined && expectedHead !== head) {
      return err({ kind: 'forge_head_moved', head })
    }
    const base = tipOf(snapshot, record.base)
    if (base === undefined) return err({ kind: 'git_not_found', what: 'branch' })

    const outcome = await history.tryMerge(directory, base, head)
    if (!outcome.ok) return outcome
    if (outcome.value.kind === 'conflicting') {
      return err({ kind: 'forge_merge_conflict', rawPaths: outcome.value.paths })
    }
    const message = `Merge pull request #${number} from ${record.head}\n\n${record.title}`
    const parents = [base, head]
    const commit = await commitTree(directory, outcome.value.tree, parents, message, by, now)
    if (!commit.ok) return commit
    const state = { kind: 'merged', at: now, commit: commit.value, by: by.name } as const
    const edit = await editState(directory, pull, state)
    if (!edit.ok) return edit

    const changes = [{ ref: branchRef(record.base), before: base, after: commit.value }, edit.value]
    const unmoved = [pullHeadRef(number), branchRef(record.head)].map((ref) => ({
      ref,
      unmovedFrom: head,
    }))
    const written = await changeRefs(directory, [...unmoved, ...changes])
    if (!written.ok) return written
    return written.value === 'changed'
      ? ok(changes)
      : { lost: { kind: 'git_conflict', branch: record.base } }
  })
}

export async function closePull(
  directory: string,
  number: number,
  by: Author,
  settle: Settle,
  now: number,
): Promise<Result<readonly RefChange[], ForgeFailure>> {
  return endPull(number, settle, async (pull) => {
    const edit = await editState(directory, pull, { kind: 'closed', at: now, by: by.name })
    if (!edit.ok) return edit
    const written = await changeRefs(directory, [edit.value])
    if (!written.ok) return written
    // Lost only to another end of the same pull request, which the next attempt reports.
    return written.value === 'changed'
      ? ok([edit.value])
      : { lost: { kind: 'git_conflict', branch: pull.record.head } }
  })
}

/** Ends an open pull request; whoever loses a race looks again whether it is open still. */
const endPull = (
  number: number,
  settle: Settle,
  attempt: (
    pull: Pull,
    snapshot: Snapshot,
  ) => Promise<Result<readonly RefChange[], ForgeFailure> | Lost<ForgeFailure>>,
): Promise<Result<readonly RefChange[], ForgeFailure>> =>
  retryLost<readonly RefChange[], ForgeFailure>(ATTEMPTS, async () => {
    const settled = await settle()
    if (!settled.ok) return settled
    const open = findOpen(settled.value, number)
    return open.ok ? attempt(open.value, settled.value) : open
  })

export function findPull(
  { pulls }: Snapshot,
  number: number,
): Result<Pull, Extract<ForgeFailure, { kind: 'forge_pull_request_not_found' }>> {
  const pull = pulls.find((one) => one.number === number)
  return pull ? ok(pull) : err({ kind: 'forge_pull_request_not_found', number })
}

function findOpen(snapshot: Snapshot, number: number): Result<Pull, ForgeFailure> {
  const pull = findPull(snapshot, number)
  if (!pull.ok) return pull
  const { kind } = pull.value.record.state
  return kind === 'open' ? pull : err({ kind: 'forge_pull_request_not_open', state: kind })
}

async function commitTree(
  directory: string,
  tree: ObjectId,
  parents: readonly ObjectId[],
  message: string,
  by: Author,
  now: number,
): Promise<Result<ObjectId, GitFailure>> {
  const { name, email } = cleanAuthor(by)
  const date = `@${Math.floor(now / 1000)} +0000`
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree]
  return idFrom(
    await gitText(directory, args, {
      input: new Blob([cleanMessage(message)]),
      env: {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_COMMITTER_DATE: date,
      },
    }),
  )
}
