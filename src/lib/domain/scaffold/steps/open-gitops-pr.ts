import type { BranchName, RepositoryId } from '../../../names.ts'
import type { CommitRequest, GitHost, Head, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { StepFailure } from '../failure.ts'
import { describePullRequest, isOfRun } from '../pull-request.ts'
import { scaffoldBranch } from '../branch.ts'
import type { WrittenFile } from '../render.ts'
import { step, type StepContext } from './step.ts'

export const openGitopsPr = step({
  needs: ['gitHost'],
  announce: ({ gitopsRepository: { owner, name } }) => `Proposing it to ${owner}/${name}`,
  async run(context, { gitHost }) {
    const { runId, spec, author, gitopsRepository: repository, plan } = context
    const branch = scaffoldBranch(spec)
    const earlier = await gitHost.findPullRequests(repository, { heads: [branch] })
    if (!earlier.ok) return earlier
    const ours = earlier.value.find((each) => each.state !== 'closed' && isOfRun(each, runId))
    if (ours !== undefined) return ok(opened(ours))

    const planned = await plan()
    if (!planned.ok) return planned
    const base = await gitHost.head(repository)
    if (!base.ok) return base
    const proposed = await propose(gitHost, context, branch, base.value, planned.value.gitops)
    if (!proposed.ok) return proposed
    const { title, body } = describePullRequest(context)
    const made = await gitHost.openPullRequest(repository, {
      head: branch,
      base: base.value.branch,
      title,
      body,
      author,
    })
    return made.ok ? ok(opened(made.value.pullRequest)) : made
  },
})

const opened = ({ number, url, state }: PullRequest) => ({
  kind: 'complete' as const,
  message: `Pull request #${number}`,
  made: { prUrl: url, prNumber: number, prStatus: state },
})

/** The branch with the files on it: a new one, or the one that an earlier try left. */
async function propose(
  gitHost: GitHost,
  { runId, spec, author, gitopsRepository }: StepContext,
  branch: BranchName,
  base: Head,
  files: readonly WrittenFile[],
): Promise<Result<void, StepFailure>> {
  const request: CommitRequest = {
    branch,
    from: { kind: 'create', parent: base.commit },
    changes: files,
    message: `scaffold: add ${spec.team}/${spec.app}\n\nPortico-Run: ${runId}\n`,
    author,
  }
  const committed = await gitHost.commit(gitopsRepository, request)
  if (committed.ok) return ok(undefined)
  if (committed.error.kind !== 'git_branch_exists') return committed
  const same = await holds(gitHost, gitopsRepository, branch, files)
  if (!same.ok) return same
  return same.value ? ok(undefined) : err({ kind: 'already_exists', what: 'branch' })
}

/** Whether a branch has exactly these bytes: the files name the run's template and commit, so no other run's are the same. */
async function holds(
  gitHost: GitHost,
  repository: RepositoryId,
  branch: BranchName,
  files: readonly WrittenFile[],
): Promise<Result<boolean, StepFailure>> {
  const head = await gitHost.head(repository, branch)
  if (!head.ok) return head
  const wanted = new Map(files.map(({ path, bytes }) => [path, bytes]))
  const largest = Math.max(...files.map(({ bytes }) => bytes.length))
  const paths = files.map(({ path }) => ({ path }))
  for await (const read of gitHost.readFiles(repository, head.value.commit, paths, largest)) {
    if (!read.ok) return read.error.kind === 'git_not_found' ? ok(false) : read
    const { path, bytes } = read.value
    if (bytes === null || !Buffer.from(bytes).equals(wanted.get(path) ?? Buffer.of())) {
      return ok(false)
    }
    wanted.delete(path)
  }
  return ok(wanted.size === 0)
}
