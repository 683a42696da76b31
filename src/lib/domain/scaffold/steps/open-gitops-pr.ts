import { ObjectId } from '../../../names.ts'
import type { GitHost, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { appPath } from '../../gitops/layout.ts'
import { propose, type WrittenFile } from '../../gitops/propose.ts'
import { hasFile } from '../availability.ts'
import type { StepFailure } from '../failure.ts'
import { describePullRequest, isOfRun, scaffoldBranch } from '../pull-request.ts'
import type { Step, StepContext } from './step.ts'

export const openGitopsPr: Step = {
  announce: ({ gitopsRepository: { owner, name } }) => `Proposing it to ${owner}/${name}`,
  async run(context, { gitHost }) {
    const { runId, spec, made, author, gitopsRepository: repository, note } = context
    const branch = scaffoldBranch(spec)
    const earlier = await gitHost.findPullRequests(repository, { head: branch })
    if (!earlier.ok) return earlier
    const ours = earlier.value.find((each) => isOfRun(each, runId))
    if (ours?.state === 'closed') return err({ kind: 'pr_closed' })
    if (ours !== undefined) return ok(completedBy(ours))

    const repositoryHead = await gitHost.head(context.repository)
    if (!repositoryHead.ok) {
      const isGone = repositoryHead.error.kind === 'git_not_found'
      return isGone ? err({ kind: 'repository_gone' }) : repositoryHead
    }
    const files = await context.gitopsFiles()
    if (!files.ok) return files
    const head = await gitHost.head(repository)
    if (!head.ok) return head
    const free = await isFree(gitHost, context, head.value.commit, files.value)
    if (!free.ok) return free
    if (!free.value) return err({ kind: 'already_exists', what: 'application' })

    // The journal keeps the base of the first attempt: anything else that the branch adds to it is not ours.
    const base = ObjectId.parse(made.gitopsBase) ?? head.value.commit
    const proposed = await propose(
      gitHost,
      {
        repository,
        base: { branch: head.value.branch, commit: base },
        branches: [branch],
        // A closed pull request of an earlier run does not take the name of an application away.
        canReuseBranch: true,
        isOurs: (pull) => isOfRun(pull, runId),
        files: () => files.value,
        readCurrent: async () => ok(new Map()),
        message: `scaffold: add ${spec.team}/${spec.app}\n\nPortico-Run: ${runId}\n`,
        ...describePullRequest(context),
        author,
      },
      () => note({ gitopsBase: base }),
    )
    if (proposed.ok) return ok(completedBy(proposed.value.pullRequest))
    const { error } = proposed
    return err(
      error.kind === 'branches_used_up' ? { kind: 'already_exists', what: 'branch' } : error,
    )
  },
}

const completedBy = ({ number, url, state }: PullRequest) => ({
  kind: 'complete' as const,
  message: `Pull request #${number}`,
  made: { prUrl: url, prNumber: number, prStatus: state },
})

/** Whether the default branch still has nothing of the application: somebody may have added it between two attempts. */
async function isFree(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  { gitopsRepository: repository, spec }: StepContext,
  commit: ObjectId,
  files: readonly WrittenFile[],
): Promise<Result<boolean, StepFailure>> {
  const directory = appPath(spec.team, spec.app)
  const listed = await gitHost.listFiles(repository, { commit, directory })
  if (!listed.ok) return listed
  if (listed.value.tree !== null) return ok(false)
  for (const { path } of files.filter((file) => !file.path.startsWith(`${directory}/`))) {
    const found = await hasFile(gitHost, repository, commit, path)
    if (!found.ok || found.value) return found.ok ? ok(false) : found
  }
  return ok(true)
}
