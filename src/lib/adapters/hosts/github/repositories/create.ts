import type { RepositoryId } from '../../../../names.ts'
import { isUncertain } from '../../../../git/host-words.ts'
import type { CreatedRepository, GitFailure, NewRepository } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath, hostError, messageOf } from '../../hosted/api/client.ts'
import { createMark, type CreationMark } from '../../hosted/marker.ts'
import { readAccount } from '../api/answers.ts'
import { completeRepository, type RepositoryPolicy } from './complete.ts'
import type { GitHub } from '../github.ts'
import {
  marksOf,
  nameOf,
  readRepository,
  type RepositoryAnswer,
} from '../../hosted/known-repositories.ts'
import { gitHubRefusal } from '../api/refusal.ts'
import { whenReplicated } from './replication.ts'

const CREATE_DEADLINE_MS = 15_000

/**
 * Makes a repository in steps that can be repeated: whoever comes with the same marker goes on where another stopped. Until the last step
 * its description says that it is being made, and every other method denies that it exists.
 */
export async function createRepository(
  github: GitHub,
  id: RepositoryId,
  request: NewRepository,
  policy: RepositoryPolicy,
): Promise<Result<CreatedRepository, GitFailure>> {
  const mark = createMark(request.marker, policy.publicOrigin)
  const begun = await begin(github, id, mark, policy)
  if (!begun.ok) return begun
  const repository = begun.value
  const url = repository.clone_url ?? repository.html_url
  if (mark.creationOf(marksOf(repository)) === 'complete') {
    const head = await github.branches.head(id)
    return head.ok ? ok({ created: false, head: head.value, url }) : head
  }
  const head = await completeRepository(github, id, { request, repository, mark, policy })
  return head.ok ? ok({ created: true, head: head.value, url }) : head
}

async function begin(
  github: GitHub,
  id: RepositoryId,
  mark: CreationMark,
  policy: RepositoryPolicy,
): Promise<Result<RepositoryAnswer, GitFailure>> {
  const made = await request(github, id, mark, policy)
  if (made.ok && made.value !== null) {
    const { full_name: fullName } = made.value
    const [owner, name] = fullName.split('/')
    // GitHub replaces characters that it does not take in names.
    const isAsked = name === id.name && owner?.toLowerCase() === id.owner.toLowerCase()
    return isAsked ? ok(made.value) : hostError(`made ${fullName} in place of ${nameOf(id)}`)
  }
  if (!made.ok && !isUncertain(made.error)) return made
  const found = await github.known.ask(id)
  if (!found.ok) return made.ok ? found : made
  return mark.creationOf(marksOf(found.value)) === 'foreign'
    ? err({ kind: 'git_repository_exists' })
    : ok(found.value)
}

/** `null`: the name is taken. */
async function request(
  { client, known }: GitHub,
  id: RepositoryId,
  mark: CreationMark,
  policy: RepositoryPolicy,
): Promise<Result<RepositoryAnswer | null, GitFailure>> {
  const body = {
    name: id.name,
    description: mark.pendingDescription,
    private: true,
  }
  const options = { deadlineMs: CREATE_DEADLINE_MS }
  let answer = await client.write('POST', apiPath`/orgs/${id.owner}/repos`, body, options)
  if (answer.ok && answer.value.status === 404) {
    const isOurs = await isOwnAccount(client, id)
    if (!isOurs.ok) return isOurs
    if (!isOurs.value) {
      return err({ kind: 'git_denied', what: `administration: write in ${id.owner}` })
    }
    answer = await client.write('POST', '/user/repos', body, options)
  }
  if (!answer.ok) return answer
  if (answer.value.status === 201) return readRepository(answer.value)
  if (answer.value.status === 422 || answer.value.status === 409) {
    const isTaken = /already exists/i.test(JSON.stringify(answer.value.json))
    const ask = () => known.ask(id)
    const existing = await (isTaken ? whenReplicated(ask, policy.replicationWaitsMs) : ask())
    if (existing.ok) return ok(null)
    if (existing.error.kind !== 'git_not_found') return existing
    // An App that is not installed there does not see it.
    return isTaken
      ? err({ kind: 'git_repository_exists' })
      : hostError(`refused to make ${nameOf(id)}: ${messageOf(answer.value)}`)
  }
  const subject = { repository: id.owner, right: 'administration: write' }
  return err(gitHubRefusal(answer.value, subject))
}

/** `true` if the owner is the person whose token we have: `/user/repos` makes repositories of that one alone. */
async function isOwnAccount(
  client: GitHub['client'],
  { owner }: RepositoryId,
): Promise<Result<boolean, GitFailure>> {
  const asked = await client.read(apiPath`/users/${owner}`)
  if (!asked.ok) return asked
  const account = asked.value.status === 200 ? readAccount(asked.value) : null
  if (account?.ok !== true || account.value.type !== 'User') return ok(false)
  const self = await client.read('/user')
  if (!self.ok) return self
  const own = self.value.status === 200 ? readAccount(self.value) : null
  return ok(own?.ok === true && own.value.login.toLowerCase() === owner.toLowerCase())
}
