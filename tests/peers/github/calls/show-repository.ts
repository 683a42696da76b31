import type { Call } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import { mayDo } from '../rights.ts'
import { fullName, type Credential, type Repository } from '../state.ts'
import { showAccount } from './accounts.ts'

function showPermissions(credential: Credential) {
  const isAdmin = mayDo(credential, 'administration', 'write')
  const isWriter = mayDo(credential, 'contents', 'write')
  return { admin: isAdmin, maintain: isAdmin, push: isWriter, triage: isWriter, pull: true }
}

/** What lists and pull requests say about a repository. */
export function showRepository(links: Links, repository: Repository) {
  const html = `${links.web}/${fullName(repository)}`
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.visibility !== 'public',
    owner: showAccount(links, repository.owner),
    html_url: html,
    description: repository.description,
    clone_url: `${html}.git`,
    homepage: repository.homepage,
    default_branch: repository.defaultBranch,
    archived: repository.archived,
    visibility: repository.visibility,
    topics: repository.topics,
    created_at: timeOf(repository.createdAt),
    updated_at: timeOf(repository.createdAt),
    pushed_at: timeOf(repository.createdAt),
  }
}

/** All that there is to say about a repository. */
export const showWhole = (call: Call, repository: Repository) => ({
  ...showRepository(call.links, repository),
  permissions: showPermissions(call.credential),
  ...(repository.owner.type === 'Organization' && {
    organization: showAccount(call.links, repository.owner),
  }),
})
