import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { BranchName, RepositoryId } from '../../../names.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { GitHost, RepositoryUses } from '../../../ports/git-host.ts'
import { type Answer, type HostClient, messageOf } from './api/client.ts'
import { defaultBranchOf, type KnownRepositories, nameOf } from './known-repositories.ts'

/** A right, and why it is missing; `null`: it is there. The first one is that to write to the gitops repository. */
export type Right = readonly [right: string, missing: Promise<string | null>]

export interface RightsCheck {
  /** Name of the host in sentences. */
  readonly host: string
  readonly client: Pick<HostClient, 'read'>
  readonly known: Pick<KnownRepositories, 'recent'>
  /** Path of the API for one branch. */
  readonly branchPath: (repository: RepositoryId, branch: BranchName) => string
  readonly rightsFor: (uses: RepositoryUses) => readonly Right[]
}

const BranchAnswer = Compile(
  Type.Object({
    protected: Type.Boolean(),
    /** Gitea's name. */
    user_can_push: Type.Optional(Type.Boolean()),
    /** GitLab's name. */
    can_push: Type.Optional(Type.Boolean()),
  }),
)

/** One finding for each right, and one for the default branch of the gitops repository. */
export const createRightsCheck =
  ({ host, rightsFor, ...means }: RightsCheck): GitHost['check'] =>
  async (uses) => {
    const [branch, ...findings] = await Promise.all([
      checkDefaultBranch(means, uses.gitops),
      ...rightsFor(uses).map(async ([right, missing]) => findingOf(host, right, await missing)),
    ])
    // Rules of a branch say nothing to credentials that may not write at all.
    const [write] = findings
    return write?.ok === true ? [...findings, ...branch] : findings
  }

function findingOf(host: string, right: string, missing: string | null): ConnectionFinding {
  if (missing === null) return works(`${host} allows ${right}.`)
  const why = missing === right ? 'the account or its token has no such right' : missing
  return fails(`${host} does not allow ${right}: ${why}.`)
}

/** Tells how confirmations reach the default branch. A branch that cannot be read is reported by the check of the right to write. */
async function checkDefaultBranch(
  { client, known, branchPath }: Pick<RightsCheck, 'client' | 'known' | 'branchPath'>,
  repository: RepositoryId,
): Promise<readonly ConnectionFinding[]> {
  const found = await known.recent(repository)
  const branch = found.ok ? defaultBranchOf(found.value) : found
  if (!branch.ok) return []
  const answer = await client.read(branchPath(repository, branch.value))
  if (!answer.ok || !BranchAnswer.Check(answer.value.json)) return []
  const {
    protected: isProtected,
    user_can_push: userCanPush,
    can_push: canPush,
  } = answer.value.json
  const subject = `the branch ${branch.value} of ${nameOf(repository)}`
  return [
    works(
      isProtected && (userCanPush ?? canPush) === false
        ? `Protected: ${subject}. Confirmations open a pull request.`
        : `Open to Portico: ${subject}. Confirmations are committed to it.`,
    ),
  ]
}

export const reasonOf = (answer: Answer): string =>
  messageOf(answer) || `answered with ${answer.status}`
