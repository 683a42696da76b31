import { type BranchName, ObjectId } from '../../../names.ts'
import type { GitHost, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { appPath } from '../../gitops/layout.ts'
import {
  adoptBranch,
  type BranchContent,
  createBranch,
  type WrittenFile,
} from '../../gitops/proposed-branch.ts'
import { hasFile, hasFolder, hasRival } from '../availability.ts'
import type { StepFailure } from '../failure.ts'
import { describePullRequest, isOfRun, scaffoldBranch } from '../pull-request.ts'
import type { Step, StepContext, StepPorts } from './step.ts'

export const openGitopsPr: Step = {
  announce: ({ gitopsRepository: { owner, name } }) => `Proposing it to ${owner}/${name}`,
  async run(context, ports) {
    const { gitHost } = ports
    const { runId, spec, made, author, gitopsRepository: repository } = context
    const branch = scaffoldBranch(spec)
    // The journal has the base before the first effect: without it no earlier attempt opened a pull request.
    const earlier =
      made.gitopsBase === null
        ? ok([])
        : await gitHost.findPullRequests(repository, { head: branch })
    if (!earlier.ok) return earlier
    const ofRun = earlier.value.filter((each) => isOfRun(each, runId))
    // A host adapter may have closed a duplicate of ours.
    const ours = ofRun.find(({ state }) => state !== 'closed') ?? ofRun[0]
    if (ours?.state === 'closed') return err({ kind: 'pr_closed' })
    if (ours !== undefined) return ok(await completedBy(ours, context, ports))

    const repositoryHead = await context.repositoryHead()
    if (!repositoryHead.ok) return repositoryHead
    const files = await context.gitopsFiles()
    if (!files.ok) return files
    const head = await gitHost.head(repository)
    if (!head.ok) return head
    const free = await isFree(gitHost, context, head.value.commit, files.value)
    if (!free.ok) return free
    if (!free.value) return err({ kind: 'already_exists', what: 'application' })

    // The journal keeps the base of the first attempt: anything else that the branch adds to it is not ours.
    const commit = ObjectId.parse(made.gitopsBase) ?? head.value.commit
    const content = {
      repository,
      base: { branch: head.value.branch, commit },
      files: files.value,
      message: `scaffold: add ${spec.team}/${spec.app}\n\nPortico-Run: ${runId}\n`,
      author,
    }
    const proposed = await propose(gitHost, context, content, branch)
    return proposed.ok ? ok(await completedBy(proposed.value, context, ports)) : proposed
  },
}

async function completedBy(
  pullRequest: PullRequest,
  { spec: { createdBy } }: StepContext,
  { askers, moves }: Pick<StepPorts, 'askers' | 'moves'>,
) {
  // The journal needs the same database: while it is away, this step runs again.
  await askers.note(pullRequest, createdBy)
  await moves.invalidate()
  const { number, url, state } = pullRequest
  return {
    kind: 'complete' as const,
    message: `Pull request #${number}`,
    made: { prUrl: url, prNumber: number, prStatus: state },
  }
}

async function propose(
  gitHost: GitHost,
  context: StepContext,
  content: BranchContent,
  branch: BranchName,
): Promise<Result<PullRequest, StepFailure>> {
  const { runId, note } = context
  const { repository, base, author } = content
  const held = await note({ gitopsBase: base.commit })
  if (!held.ok) return held
  const pushed = await createOrAdopt(gitHost, content, branch)
  if (!pushed.ok) return pushed
  const stillHeld = await note({ gitopsBase: base.commit })
  if (!stillHeld.ok) return stillHeld
  const texts = describePullRequest(context)
  const request = { head: branch, base: base.branch, ...texts, author }
  const opened = await gitHost.openPullRequest(repository, request)
  if (!opened.ok) return opened
  const { pullRequest } = opened.value
  return isOfRun(pullRequest, runId)
    ? ok(pullRequest)
    : err({ kind: 'already_exists', what: 'branch' })
}

/** A branch that an earlier attempt left is ours only with exactly these files. */
async function createOrAdopt(
  gitHost: GitHost,
  content: BranchContent,
  branch: BranchName,
): Promise<Result<ObjectId, StepFailure>> {
  const created = await createBranch(gitHost, content, branch)
  if (created.ok || created.error.kind !== 'git_branch_exists') return created
  const adopted = await adoptBranch(gitHost, content, branch)
  if (!adopted.ok) return adopted
  return adopted.value === null
    ? err({ kind: 'already_exists', what: 'branch' })
    : ok(adopted.value)
}

/** Whether the default branch still has nothing of the application: somebody may have added it between two attempts. */
async function isFree(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles' | 'listBranches'>,
  { gitopsRepository: repository, spec }: StepContext,
  commit: ObjectId,
  files: readonly WrittenFile[],
): Promise<Result<boolean, StepFailure>> {
  const directory = appPath(spec.team, spec.app)
  const folder = await hasFolder(gitHost, repository, commit, directory)
  if (!folder.ok) return folder
  if (folder.value) return ok(false)
  for (const { path } of files.filter((file) => !file.path.startsWith(`${directory}/`))) {
    const found = await hasFile(gitHost, repository, commit, path)
    if (!found.ok || found.value) return found.ok ? ok(false) : found
  }
  const rivalled = await hasRival(gitHost, repository, commit, spec, [spec.firstEnvironment])
  return rivalled.ok ? ok(!rivalled.value) : rivalled
}
