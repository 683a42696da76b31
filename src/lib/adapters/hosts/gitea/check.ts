import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId, RepositoryOwner } from '../../../names.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { GitFailure, RepositoryUses } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, type HostClient, messageOf } from '../hosted/api/client.ts'
import { failureText } from '../hosted/api/failure-text.ts'
import {
  defaultBranchOf,
  type KnownRepositories,
  nameOf,
  pathOf,
} from '../hosted/known-repositories.ts'

export interface CheckMeans {
  readonly client: HostClient
  readonly known: KnownRepositories
}

/** `null`: the right is there. */
type Missing = string | null

const BranchAnswer = Compile(
  Type.Object({
    protected: Type.Boolean(),
    user_can_push: Type.Optional(Type.Boolean()),
  }),
)
const Person = Compile(Type.Object({ login: Type.String() }))
const Permissions = Compile(Type.Object({ can_create_repository: Type.Boolean() }))

/** Tries each right with a request that Gitea refuses for another reason when the right is there. */
export const createCheck = (means: CheckMeans) =>
  async function check(uses: RepositoryUses): Promise<readonly ConnectionFinding[]> {
    const { gitops, owners } = uses
    const rights: [string, Promise<Missing>][] = [
      [`repository: write on ${nameOf(gitops)}`, missingWrite(means, gitops)],
      [`pull requests: write on ${nameOf(gitops)}`, missingPullRequests(means, gitops)],
      ...owners.map((owner): [string, Promise<Missing>] => [
        `organization: create repositories in ${owner}`,
        missingCreation(means, owner),
      ]),
    ]
    const [branch, ...findings] = await Promise.all([
      checkDefaultBranch(means, gitops),
      ...rights.map(async ([right, missing]) => findingOf(right, await missing)),
    ])
    // Rules of a branch say nothing to credentials that may not write at all.
    const [write] = findings
    return write?.ok === true ? [...findings, ...branch] : findings
  }

function findingOf(right: string, missing: Missing): ConnectionFinding {
  if (missing === null) return works(`Gitea allows ${right}.`)
  const why = missing === right ? 'the account or its token has no such right' : missing
  return fails(`Gitea does not allow ${right}: ${why}.`)
}

/** A branch that begins nowhere cannot be made, which Gitea says after its checks of rights. */
async function missingWrite(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const writable = await known.requireWritable(repository)
  if (!writable.ok) return failureText(writable.error)
  const body = { new_branch_name: 'portico-check', old_ref_name: 'portico/no-such-branch' }
  const answer = await client.write('POST', `${pathOf(repository)}/branches`, body)
  if (!answer.ok) return failureText(answer.error)
  const { status } = answer.value
  if (status === 404) return null
  return status === 403 ? `repository: write on ${nameOf(repository)}` : reasonOf(answer.value)
}

/** Tells how confirmations reach the default branch. A branch that cannot be read is reported by the check of the right to write. */
async function checkDefaultBranch(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<readonly ConnectionFinding[]> {
  const found = await known.recent(repository)
  const branch = found.ok ? defaultBranchOf(found.value) : found
  if (!branch.ok) return []
  const answer = await client.read(`${pathOf(repository)}${apiPath`/branches/${branch.value}`}`)
  if (!answer.ok || !BranchAnswer.Check(answer.value.json)) return []
  const { protected: isProtected, user_can_push: canPush } = answer.value.json
  const subject = `the branch ${branch.value} of ${nameOf(repository)}`
  return [
    works(
      isProtected && canPush === false
        ? `Protected: ${subject}. Confirmations open a pull request.`
        : `Open to Portico: ${subject}. Confirmations are committed to it.`,
    ),
  ]
}

/** A pull request of a branch into itself has no changes. */
async function missingPullRequests(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const found = await known.recent(repository)
  if (!found.ok) return failureText(found.error)
  const branch = found.value.default_branch
  const body = { head: branch, base: branch, title: 'Check of rights' }
  const answer = await client.write('POST', `${pathOf(repository)}/pulls`, body)
  if (!answer.ok) return failureText(answer.error)
  return answer.value.status === 422 ? null : reasonOf(answer.value)
}

/** A repository cannot be without a name. */
async function missingCreation({ client }: CheckMeans, owner: RepositoryOwner): Promise<Missing> {
  const person = await loginOf(client)
  if (!person.ok) return failureText(person.error)
  const isPerson = person.value.toLowerCase() === owner.toLowerCase()
  const path = isPerson ? '/user/repos' : apiPath`/orgs/${owner}/repos`
  const answer = await client.write('POST', path, { name: '' })
  if (!answer.ok) return failureText(answer.error)
  if (answer.value.status !== 422) return reasonOf(answer.value)
  if (isPerson) return null
  const allowed = await client.read(apiPath`/users/${person.value}/orgs/${owner}/permissions`)
  if (!allowed.ok) return failureText(allowed.error)
  const { status, json } = allowed.value
  if (status === 404) return `there is no organisation ${owner}`
  if (!Permissions.Check(json)) return reasonOf(allowed.value)
  return json.can_create_repository ? null : `no team of ${person.value} there may create them`
}

async function loginOf(client: HostClient): Promise<Result<string, GitFailure>> {
  const answer = await client.read('/user')
  if (!answer.ok) return answer
  const { json } = answer.value
  return Person.Check(json)
    ? ok(json.login)
    : err({ kind: 'git_denied', what: reasonOf(answer.value) })
}

const reasonOf = (answer: Parameters<typeof messageOf>[0] & { readonly status: number }): string =>
  messageOf(answer) || `answered with ${answer.status}`
