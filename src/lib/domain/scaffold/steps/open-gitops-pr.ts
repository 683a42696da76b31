import { ObjectId } from '../../../names.ts'
import type {
  CommitRequest,
  GitHost,
  Head,
  PullRequest,
  WrittenFile,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { appPath } from '../../gitops/application.ts'
import { reclaim } from '../../gitops/branches.ts'
import { hasFile, hasFolder, hasNameConflict } from '../availability.ts'
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
    // A closed one beside an open one is a duplicate that somebody closed.
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

    // The journal keeps the base of the first attempt.
    const commit = ObjectId.parse(made.gitopsBase) ?? head.value.commit
    const from = { kind: 'create', parent: commit } as const
    const content = {
      branch,
      from,
      changes: files.value,
      message: `scaffold: add ${spec.team}/${spec.app}\n\nPortico-Run: ${runId}\n`,
      author,
    }
    const base = { branch: head.value.branch, commit }
    const proposed = await propose(gitHost, context, content, base)
    return proposed.ok ? ok(await completedBy(proposed.value, context, ports)) : proposed
  },
}

async function completedBy(
  pullRequest: PullRequest,
  { spec: { createdBy } }: StepContext,
  { requesters, pulls }: Pick<StepPorts, 'requesters' | 'pulls'>,
) {
  // The journal needs the same database: while it is away, this step runs again.
  await requesters.note(pullRequest, createdBy)
  await pulls.invalidate()
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
  content: CommitRequest,
  base: Head,
): Promise<Result<PullRequest, StepFailure>> {
  const { runId, note, gitopsRepository: repository } = context
  const { branch: head, author } = content
  const held = await note({ gitopsBase: base.commit })
  if (!held.ok) return held
  const pushed = await createOrReplace(gitHost, context, content, base)
  if (!pushed.ok) return pushed
  const stillHeld = await note({ gitopsBase: base.commit })
  if (!stillHeld.ok) return stillHeld
  const texts = describePullRequest(context)
  const request = { head, base: base.branch, ...texts, author }
  const opened = await gitHost.openPullRequest(repository, request)
  if (!opened.ok) return opened
  const { pullRequest } = opened.value
  return isOfRun(pullRequest, runId)
    ? ok(pullRequest)
    : err({ kind: 'already_exists', what: 'branch' })
}

/** The branch may be there with the one commit of an earlier attempt. */
async function createOrReplace(
  gitHost: GitHost,
  { runId, gitopsRepository: repository }: StepContext,
  content: CommitRequest,
  base: Head,
): Promise<Result<Head, StepFailure>> {
  const { branch } = content
  const created = await gitHost.commit(repository, content)
  if (created.ok || created.error.kind !== 'git_branch_exists') return created
  const isOurs = (text: string) => isOfRun({ body: text }, runId)
  const from = await reclaim(gitHost, repository, branch, base, isOurs)
  if (!from.ok) return from
  return from.value === null
    ? err({ kind: 'already_exists', what: 'branch' })
    : gitHost.commit(repository, { ...content, from: from.value })
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
  const conflict = await hasNameConflict(gitHost, repository, commit, spec, [spec.firstEnvironment])
  return conflict.ok ? ok(!conflict.value) : conflict
}
