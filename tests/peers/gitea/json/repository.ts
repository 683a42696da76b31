import { fullName, type Repository, type Rights, type State } from '../state.ts'
import { userJson } from './accounts.ts'

const seconds = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+/, '')

export function repositoryJson(state: State, repository: Repository, rights: Rights) {
  const page = `${state.url}/${fullName(repository)}`
  return {
    id: repository.id,
    owner: userJson(state, repository.owner),
    name: repository.name,
    full_name: fullName(repository),
    description: repository.description,
    empty: state.isEmpty(repository),
    private: repository.isPrivate,
    html_url: page,
    clone_url: `${page}.git`,
    website: repository.website,
    default_branch: repository.defaultBranch,
    archived: repository.isArchived,
    created_at: seconds(repository.createdAt),
    updated_at: seconds(repository.createdAt),
    permissions: {
      admin: rights === 'admin',
      push: rights === 'admin' || rights === 'write',
      pull: true,
    },
    topics: repository.topics,
  }
}
