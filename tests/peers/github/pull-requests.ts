import { isAncestor, writeCommit } from '#tests/peers/forge/git/commits.ts'
import { mergedTree, rebase } from '#tests/peers/forge/git/merging.ts'
import type { Account, PullRequest, Repository, State } from './state.ts'

/** What happened to the branches since: an open pull request follows its head, and ends with it. */
export async function refresh(state: State, { git }: Repository, pull: PullRequest): Promise<void> {
  if (pull.state !== 'open') return
  const [head, base] = await Promise.all([
    git.reference(`refs/heads/${pull.head}`),
    git.reference(`refs/heads/${pull.base}`),
  ])
  if (head === null || base === null) {
    close(state, pull)
    return
  }
  const hasMoved = base !== pull.baseCommit
  pull.headCommit = head
  pull.baseCommit = base
  // Pushed to the base by hand: GitHub calls it merged.
  if (!hasMoved || !(await isAncestor(git, head, base))) return
  close(state, pull)
  pull.mergedAt = pull.closedAt
  pull.mergeCommit = base
}

/** Open pull requests follow their branches, and git finds the head of each as `refs/pull/<number>/head`. */
export async function publishHeads(state: State, repository: Repository): Promise<void> {
  const { git, pulls } = repository
  for (const pull of pulls.values()) await refresh(state, repository, pull)
  await git.inTurn(async () => {
    for (const { number, headCommit } of pulls.values()) {
      const name = `refs/pull/${number}/head`
      if ((await git.reference(name)) !== headCommit) await git.updateReference(name, headCommit)
    }
  })
}

export function close(state: State, pull: PullRequest): void {
  pull.state = 'closed'
  pull.closedAt = state.now()
}

/** Tries the merge, as GitHub does in the background when somebody looks at a pull request. */
export async function lookAtMerge({ git }: Repository, pull: PullRequest): Promise<boolean | null> {
  const of = `${pull.headCommit} ${pull.baseCommit}`
  if (pull.tried?.of === of) return pull.state === 'open' ? pull.tried.mergeable : null
  // The first question starts the attempt, and a later one has its outcome.
  pull.tried = { of, mergeable: (await mergedTree(git, pull.baseCommit, pull.headCommit)) !== null }
  return null
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

/** Merges as a person does in the browser. Rebasing is for changes that do not meet. */
export async function mergePullRequest(
  state: State,
  repository: Repository,
  pull: PullRequest,
  by: Account,
  method: MergeMethod,
): Promise<void> {
  const { git } = repository
  await git.inTurn(async () => {
    await refresh(state, repository, pull)
    const tree = await mergedTree(git, pull.baseCommit, pull.headCommit)
    if (tree === null || pull.state !== 'open') throw new Error('this pull request does not merge')
    const at = Math.floor(state.now() / 1000)
    const who = { name: by.login, email: `${by.login}@users.noreply.github.test`, at }
    const common = { author: who, committer: who, isSigned: false }
    const [base, head] = [pull.baseCommit, pull.headCommit]
    if (method === 'rebase') {
      pull.mergeCommit = await rebase(git, base, head, who)
    } else {
      const message =
        method === 'merge'
          ? `Merge pull request #${pull.number} from ${repository.owner.login}/${pull.head}\n\n${pull.title}`
          : `${pull.title} (#${pull.number})`
      const parents = method === 'merge' ? [base, head] : [base]
      pull.mergeCommit = await writeCommit(git, { ...common, tree, parents, message })
    }
    await git.updateReference(`refs/heads/${pull.base}`, pull.mergeCommit)
    close(state, pull)
    pull.mergedAt = pull.closedAt
    pull.mergedBy = by
  })
}
