import type { BranchName, RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { Result } from '../../../result.ts'
import { isObject } from '../../../text/json.ts'
import { type Answer, apiPath, type HostClient, refusalOf } from '../hosted/api/client.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import type { CreationApi } from '../hosted/repositories.ts'

export interface RepositorySettings {
  readonly visibility: 'private' | 'public'
  readonly defaultBranch: BranchName
}

export function creationApi(
  client: HostClient,
  { visibility, defaultBranch }: RepositorySettings,
): CreationApi {
  /** In an organisation, or as the person that the credentials belong to. */
  async function postRepository(
    { owner }: RepositoryId,
    body: object,
  ): Promise<Result<Answer, GitFailure>> {
    const answer = await client.write('POST', apiPath`/orgs/${owner}/repos`, body)
    if (!answer.ok || answer.value.status !== 404) return answer
    const person = await client.read('/user')
    if (!person.ok) return person
    const { json } = person.value
    const login = isObject(json) && typeof json['login'] === 'string' ? json['login'] : ''
    return login.toLowerCase() === owner.toLowerCase()
      ? client.write('POST', '/user/repos', body)
      : answer
  }

  return {
    post: (repository, pendingDescription) =>
      postRepository(repository, {
        name: repository.name,
        description: pendingDescription,
        private: true,
        default_branch: defaultBranch,
        auto_init: false,
      }),
    show: (repository, { description, homepage }) =>
      client.write('PATCH', pathOf(repository), {
        description,
        website: homepage,
        private: visibility === 'private',
      }),
    refusalOf: refusalOfCreation,
  }
}

function refusalOfCreation(answer: Answer, repository: RepositoryId): GitFailure {
  return answer.status === 403 || answer.status === 404
    ? { kind: 'git_denied', what: `organization: create repositories in ${repository.owner}` }
    : refusalOf(answer, { repository: nameOf(repository), right: 'repository: admin' })
}
