import type { BranchName, RepositoryId, RepositoryOwner } from '../../../names.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { GitAnswer, GitHost, GitResult } from '../../../ports/git-host.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { type Answer, messageOf } from './api/client.ts'
import { defaultBranchOf, type KnownRepositories, nameOf } from './known-repositories.ts'

/** A right, and why it is missing; `null`: it is there. */
export type Right = readonly [right: string, missing: Promise<string | null>]

export interface RightsCheck {
  /** Name of the host in sentences. */
  readonly host: string
  readonly known: Pick<KnownRepositories, 'recent' | 'requireWritable'>
  /** The first one is that to write. */
  readonly rightsOn: (gitops: RepositoryId, defaultBranch: BranchName) => readonly Right[]
  readonly rightIn: (owner: RepositoryOwner) => Right
  /** Whether rules of the branch may refuse a commit of ours. `null`: it cannot be told. */
  readonly isProtected: (repository: RepositoryId, branch: BranchName) => Promise<boolean | null>
}

/**
 * One finding for each right, and one for the default branch of the gitops repository. Each right is tried with a request that the host
 * refuses for another reason when the right is there.
 */
export const createRightsCheck =
  ({ host, known, rightsOn, rightIn, isProtected }: RightsCheck): GitHost['check'] =>
  async ({ gitops, owners }) => {
    const find = async ([right, missing]: Right) => findingOf(host, right, await missing)
    const findInOwners = Promise.all(owners.map((owner) => find(rightIn(owner))))
    const branch = await writableBranch(known, gitops)
    const name = nameOf(gitops)
    if (!branch.ok) {
      // Hosts answer alike for a repository that the credentials may not see.
      const isHidden = branch.error.kind === 'git_not_found'
      const hidden = `${host} has no repository ${name}, or does not show it to these credentials`
      const why = isHidden ? hidden : failureText(branch.error)
      return [fails(`GITOPS_REPOSITORY: ${why}.`), ...(await findInOwners)]
    }
    const [onGitops, inOwners, rules] = await Promise.all([
      Promise.all(rightsOn(gitops, branch.value).map(find)),
      findInOwners,
      isProtected(gitops, branch.value),
    ])
    // Rules of a branch say nothing to credentials that may not write at all.
    const isTold = rules !== null && onGitops[0]?.ok === true
    const subject = `the branch ${branch.value} of ${name}`
    const protection = rules
      ? `Protected: ${subject}. Where its rules refuse a commit of Portico, confirmations open a pull request.`
      : `Open to Portico: ${subject}. Confirmations are committed to it.`
    return [...onGitops, ...inOwners, ...(isTold ? [works(protection)] : [])]
  }

async function writableBranch(
  known: RightsCheck['known'],
  gitops: RepositoryId,
): GitAnswer<BranchName> {
  const writable = await known.requireWritable(gitops)
  const facts = writable.ok ? await known.recent(gitops) : writable
  return facts.ok ? defaultBranchOf(facts.value) : facts
}

export function findingOf(host: string, right: string, missing: string | null): ConnectionFinding {
  if (missing === null) return works(`${host} allows ${right}.`)
  const why = missing === right ? 'the account or its token has no such right' : missing
  return fails(`${host} does not allow ${right}: ${why}.`)
}

/** Why a right is missing, by the answer to a request that is answered with one of these statuses where it is there. */
export function missingBy(
  answer: GitResult<Answer>,
  allowed: readonly number[],
  reason: (answer: Answer) => string = reasonOf,
): string | null {
  if (!answer.ok) return failureText(answer.error)
  return allowed.includes(answer.value.status) ? null : reason(answer.value)
}

export const reasonOf = (answer: Answer): string =>
  messageOf(answer) || `answered with ${answer.status}`
