import { Type } from 'typebox'
import type { RepositoryId } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { ok } from '../../../result.ts'
import { answerReader } from './api/answer-reader.ts'
import { type Answer, apiPath, type HostClient, type WriteOptions } from './api/client.ts'

const readAccount = answerReader('an account', Type.Object({ login: Type.String() }))

/** Whether the credentials are those of this person. An App is nobody. */
export async function isOwnAccount(
  client: Pick<HostClient, 'read'>,
  owner: string,
): GitAnswer<boolean> {
  const answer = await client.read('/user')
  if (!answer.ok) return answer
  const account = answer.value.status === 200 ? readAccount(answer.value) : null
  return ok(account?.ok === true && account.value.login.toLowerCase() === owner.toLowerCase())
}

/** In an organisation, or as the person whose credentials we have: `/user/repos` makes repositories of that one alone. 404: neither. */
export async function postRepository(
  client: HostClient,
  { owner }: RepositoryId,
  body: object,
  options?: WriteOptions,
): GitAnswer<Answer> {
  const answer = await client.write('POST', apiPath`/orgs/${owner}/repos`, body, options)
  if (!answer.ok || answer.value.status !== 404) return answer
  const isOurs = await isOwnAccount(client, owner)
  if (!isOurs.ok) return isOurs
  return isOurs.value ? client.write('POST', '/user/repos', body, options) : answer
}
