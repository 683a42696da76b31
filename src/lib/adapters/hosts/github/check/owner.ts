import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId, RepositoryOwner } from '../../../../names.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { apiPath, messageOf } from '../../hosted/api/client.ts'
import { failureText } from '../../../../ports/git-host/failure-text.ts'
import type { GitHubClient } from '../api/client.ts'
import { gitHubRefusal } from '../api/refusal.ts'

const Account = Compile(Type.Object({ login: Type.String(), type: Type.String() }))
const RIGHT = 'administration: write'
const NAME_MAX_CHARACTERS = 100

/** Checks that repositories can be created for this account. */
export async function checkOwner(
  client: GitHubClient,
  owner: RepositoryOwner,
  known: readonly RepositoryId[],
): Promise<ConnectionFinding> {
  const account = await client.read(apiPath`/users/${owner}`)
  if (!account.ok) return fails(`${owner}: ${failureText(account.error)}.`)
  if (account.value.status === 404) return fails(`GitHub has no organization ${owner}.`)
  if (!Account.Check(account.value.json)) return fails(`${owner}: GitHub gave no account.`)
  const isOrganization = account.value.json.type === 'Organization'
  if (!isOrganization) {
    const person = await checkPerson(client, owner)
    if (person !== null) return person
  }
  const path = isOrganization ? apiPath`/orgs/${owner}/repos` : '/user/repos'
  const answer = await client.write('POST', path, impossible(owner, known))
  if (!answer.ok) return fails(`${RIGHT} on ${owner}: ${failureText(answer.error)}.`)
  // GitHub's text for members who may not create repositories comes with 422 too.
  const isLacking = /admin access|permission|not allowed to/i.test(messageOf(answer.value))
  if (answer.value.status === 422 && !isLacking) {
    return works(`The credentials have ${RIGHT} on ${owner}: they can create repositories there.`)
  }
  const failure = gitHubRefusal(answer.value, { repository: owner, right: RIGHT })
  return failure.kind === 'git_denied'
    ? fails(`The credentials lack a right: ${failureText(failure)}.`)
    : fails(`The credentials lack ${RIGHT} on ${owner}: they cannot create repositories there.`)
}

/**
 * A repository that cannot be made, so that trying it makes none: the name exists or is too long, and the description has a control
 * character. GitHub answers 422 to those who may create one.
 */
function impossible(owner: RepositoryOwner, known: readonly RepositoryId[]) {
  const taken = known.find((id) => id.owner.toLowerCase() === owner.toLowerCase())
  const name = taken?.name ?? 'x'.repeat(NAME_MAX_CHARACTERS + 1)
  return { name, description: 'A check of rights\u0007', private: true }
}

/** A person's repositories are created by their own token alone. `null`: it is theirs. */
async function checkPerson(
  client: GitHubClient,
  owner: RepositoryOwner,
): Promise<ConnectionFinding | null> {
  const alone = `Only a token of ${owner} can create repositories for ${owner}`
  if (client.app !== null) return fails(`${alone}: an App cannot.`)
  const user = await client.read('/user')
  if (!user.ok) return fails(`${owner}: ${failureText(user.error)}.`)
  const { json } = user.value
  const login = Account.Check(json) ? json.login : null
  return login?.toLowerCase() === owner.toLowerCase()
    ? null
    : fails(`${alone}: the token is another account's.`)
}
