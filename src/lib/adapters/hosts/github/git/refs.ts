import type { BranchName, ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { type Answer, apiPath, hostError, isUncertain, messageOf } from '../../hosted/api/client.ts'
import { readBranch, readComparison } from '../api/answers.ts'
import type { GitHub } from '../github.ts'
import { nameOf, notFound, pathOf } from '../../hosted/known-repositories.ts'
import { gitHubRefusal } from '../api/refusal.ts'

type Outcome<Done = void> = Promise<Result<Done, GitFailure>>

/** Makes a branch. `existed`: an equal request, or an earlier try whose answer was lost, made it with the commit. */
export async function createBranch(
  github: GitHub,
  repository: RepositoryId,
  branch: BranchName,
  commit: ObjectId,
): Outcome<'created' | 'existed'> {
  const answer = await github.client.write('POST', `${pathOf(repository)}/git/refs`, {
    ref: `refs/heads/${branch}`,
    sha: commit,
  })
  if (answer.ok && answer.value.status === 201) return ok('created')
  if (!answer.ok && !isUncertain(answer.error)) return answer

  const tip = await github.branches.tipOf(repository, branch)
  if (!tip.ok) return answer.ok ? tip : answer
  if (tip.value !== null) {
    // A request can arrive twice, so that a refusal may be that of our own branch.
    const isOurs = answer.ok
      ? tip.value === commit
      : await contains(github, repository, tip.value, commit)
    return isOurs ? ok('existed') : err({ kind: 'git_branch_exists', branch })
  }
  if (!answer.ok) return answer
  const by = await github.branches.blockerOf(repository, branch)
  if (!by.ok) return by
  if (by.value !== null) return err({ kind: 'git_branch_blocked', branch, by: by.value })
  const message = messageOf(answer.value)
  // From a replica that does not have it yet.
  if (/already exists/i.test(message)) return err({ kind: 'git_branch_exists', branch })
  // All that GitHub says where a rule protects names before their branches are made.
  if (/^Reference update failed\b/i.test(message)) {
    return err({ kind: 'git_denied', what: `branch ${branch} may not be made (${message})` })
  }
  return err(await refusalOf(github, repository, branch, answer.value))
}

/**
 * Moves a branch from where it was expected. GitHub itself checks only that the move is a fast forward, which it also is for a branch
 * that was reset to an ancestor, so that the branch is read right before.
 */
export async function advanceBranch(
  github: GitHub,
  repository: RepositoryId,
  branch: BranchName,
  move: { readonly expected: ObjectId; readonly commit: ObjectId },
): Outcome<'advanced'> {
  const before = await github.branches.tipOf(repository, branch)
  if (!before.ok) return before
  if (before.value === null) return err(await github.known.absent(repository, 'branch'))
  if (before.value !== move.expected) return err({ kind: 'git_conflict', branch })
  const path = `${pathOf(repository)}${apiPath`/git/refs/heads/${branch}`}`
  const answer = await github.client.write('PATCH', path, { sha: move.commit, force: false })
  if (answer.ok && answer.value.status === 200) return ok('advanced')
  if (!answer.ok && !isUncertain(answer.error)) return answer

  const tip = await github.branches.tipOf(repository, branch)
  if (!tip.ok) return answer.ok ? tip : answer
  if (tip.value === null) return notFound('branch')
  if (tip.value === move.expected) {
    if (!answer.ok) return answer
    // From a replica that does not have the move of somebody else yet.
    return /fast[ -]forward/i.test(messageOf(answer.value))
      ? err({ kind: 'git_conflict', branch })
      : err(await refusalOf(github, repository, branch, answer.value))
  }
  return !answer.ok && (await contains(github, repository, tip.value, move.commit))
    ? ok('advanced')
    : err({ kind: 'git_conflict', branch })
}

/** Moves a branch wherever it stands. */
export async function resetBranch(
  github: GitHub,
  repository: RepositoryId,
  branch: BranchName,
  commit: ObjectId,
): Outcome {
  const path = `${pathOf(repository)}${apiPath`/git/refs/heads/${branch}`}`
  const answer = await github.client.write('PATCH', path, { sha: commit, force: true })
  if (answer.ok && answer.value.status === 200) return ok(undefined)
  if (!answer.ok && !isUncertain(answer.error)) return answer
  const tip = await github.branches.tipOf(repository, branch)
  if (tip.ok && tip.value === commit) return ok(undefined)
  if (!answer.ok) return answer
  // 404 and 409 "Git Repository is empty." come from replicas that do not have a new repository yet.
  if (answer.value.status === 404 || answer.value.status === 409) return notFound('repository')
  return err(await refusalOf(github, repository, branch, answer.value))
}

/** `true` if a commit is in the history of another: somebody may have gone on from ours. */
async function contains(
  { client }: GitHub,
  repository: RepositoryId,
  tip: ObjectId,
  commit: ObjectId,
): Promise<boolean> {
  if (tip === commit) return true
  const range = `${commit}...${tip}`
  const answer = await client.read(`${pathOf(repository)}${apiPath`/compare/${range}`}`)
  const comparison = answer.ok && answer.value.status === 200 ? readComparison(answer.value) : null
  return comparison?.ok === true && comparison.value.status === 'ahead'
}

/** Rules that GitHub tells of with 403 or 422: branch protection and rulesets. */
const RULE =
  /protected branch|rule violations|pull request|status check|approving review|not authorized to push|signature|signed|linear history|merge commit|read-only|locked|declined/i

async function refusalOf(
  { client }: GitHub,
  repository: RepositoryId,
  branch: BranchName,
  answer: Answer,
): Promise<GitFailure> {
  const message = messageOf(answer)
  const subject = { repository: nameOf(repository), right: 'contents: write' }
  if (/without .?workflows?.? (?:scope|permission)/i.test(message)) {
    return { kind: 'git_denied', what: `workflows: write on ${subject.repository}` }
  }
  if (/\barchived\b/i.test(message)) return gitHubRefusal({ ...answer, status: 403 }, subject)
  if (RULE.test(message)) {
    return { kind: 'git_denied', what: `branch ${branch} is protected (${message})` }
  }
  // The branch and the commit are there, so that 404 means a right that we lack.
  if (answer.status === 404) {
    return { kind: 'git_denied', what: `${subject.right} on ${subject.repository}` }
  }
  if (answer.status === 422 || answer.status === 409) {
    // GitHub has texts that name no rule, such as "Reference cannot be updated".
    const found = await client.read(`${pathOf(repository)}${apiPath`/branches/${branch}`}`)
    if (found.ok && found.value.status === 200) {
      const read = readBranch(found.value)
      if (read.ok && read.value.protected === true) {
        return { kind: 'git_denied', what: `branch ${branch} is protected (${message})` }
      }
    }
    return hostError(`refused to move ${branch}: ${message}`).error
  }
  return gitHubRefusal(answer, subject)
}
