import { type BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitHost, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hasOnly } from '../../gitops/branch-content.ts'
import { appPath } from '../../gitops/layout.ts'
import { scaffoldBranch } from '../branch.ts'
import type { StepFailure } from '../failure.ts'
import { describePullRequest, isOfRun } from '../pull-request.ts'
import type { WrittenFile } from '../render.ts'
import { step, type StepContext } from './step.ts'

export const openGitopsPr = step({
  needs: ['gitHost'],
  announce: ({ gitopsRepository: { owner, name } }) => `Proposing it to ${owner}/${name}`,
  async run(context, { gitHost }) {
    const { runId, spec, author, gitopsRepository: repository, gitopsFiles, note } = context
    const branch = scaffoldBranch(spec)
    const earlier = await gitHost.findPullRequests(repository, { heads: [branch] })
    if (!earlier.ok) return earlier
    const ours = earlier.value.find((each) => isOfRun(each, runId))
    if (ours?.state === 'closed') return err({ kind: 'pr_closed' })
    if (ours !== undefined) return ok(opened(ours))

    const repositoryHead = await gitHost.head(context.repository)
    if (!repositoryHead.ok) {
      const isGone = repositoryHead.error.kind === 'git_not_found'
      return isGone ? err({ kind: 'repository_gone' }) : repositoryHead
    }
    const files = await gitopsFiles()
    if (!files.ok) return files
    const base = await gitHost.head(repository)
    if (!base.ok) return base
    const proposed = await propose(gitHost, context, branch, base.value.commit, files.value)
    if (!proposed.ok) return proposed
    const still = await note({})
    if (!still.ok) return still
    const { title, body } = describePullRequest(context)
    const made = await gitHost.openPullRequest(repository, {
      head: branch,
      base: base.value.branch,
      title,
      body,
      author,
    })
    if (!made.ok) return made
    const { pullRequest } = made.value
    return isOfRun(pullRequest, runId)
      ? ok(opened(pullRequest))
      : err({ kind: 'already_exists', what: 'branch' })
  },
})

const opened = ({ number, url, state }: PullRequest) => ({
  kind: 'complete' as const,
  message: `Pull request #${number}`,
  made: { prUrl: url, prNumber: number, prStatus: state },
})

/**
 * The branch with the files on it, and nothing else: a new one, or the one that an earlier try made. The journal says which
 * commit that began at, so that a branch with anything more on it is seen to be somebody else's.
 */
async function propose(
  gitHost: GitHost,
  { runId, spec, author, gitopsRepository, made, note }: StepContext,
  branch: BranchName,
  head: ObjectId,
  files: readonly WrittenFile[],
): Promise<Result<void, StepFailure>> {
  const free = await isFree(gitHost, gitopsRepository, head, spec, files)
  if (!free.ok) return free
  if (!free.value) return err({ kind: 'already_exists', what: 'application' })

  const parent = ObjectId.parse(made.gitopsBase) ?? head
  const noted = await note({ gitopsBase: parent })
  if (!noted.ok) return noted
  const committed = await gitHost.commit(gitopsRepository, {
    branch,
    from: { kind: 'create', parent },
    changes: files,
    message: `scaffold: add ${spec.team}/${spec.app}\n\nPortico-Run: ${runId}\n`,
    author,
  })
  if (committed.ok) return ok(undefined)
  if (committed.error.kind !== 'git_branch_exists') return committed
  const tip = await gitHost.head(gitopsRepository, branch)
  if (!tip.ok) return tip
  const same = await hasOnly(
    gitHost,
    gitopsRepository,
    { base: parent, tip: tip.value.commit },
    files,
  )
  if (!same.ok) return same
  return same.value ? ok(undefined) : err({ kind: 'already_exists', what: 'branch' })
}

/** Whether the default branch still has nothing where the application goes: between two tries somebody may have put it there. */
async function isFree(
  gitHost: GitHost,
  repository: RepositoryId,
  commit: ObjectId,
  { team, app }: StepContext['spec'],
  files: readonly WrittenFile[],
): Promise<Result<boolean, StepFailure>> {
  const directory = appPath(team, app)
  const listed = await gitHost.listFiles(repository, { commit, directory })
  if (!listed.ok) return listed
  if (listed.value.tree !== null) return ok(false)
  for (const { path } of files.filter((file) => !file.path.startsWith(`${directory}/`))) {
    for await (const read of gitHost.readFiles(repository, commit, [{ path }], 0)) {
      if (read.ok) return ok(false)
      if (read.error.kind !== 'git_not_found') return read
    }
  }
  return ok(true)
}
