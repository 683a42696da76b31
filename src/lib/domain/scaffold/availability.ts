import type { AppName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { LoadFailure } from '../catalog/load.ts'
import { refuseBlockedBranch } from '../gitops/blocked-branch.ts'
import { appPath, componentPath } from '../gitops/layout.ts'
import { scaffoldBranch } from './pull-request.ts'
import { repositoryOf, type ScaffoldSpec } from './spec.ts'

/** Systems that can have the name already. */
export type NameHolder = 'catalog' | 'apps' | 'git_host' | 'pull_request'

export interface AvailabilityOptions {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>
  readonly gitopsRepository: RepositoryId
  readonly catalogDirectory: RepositoryPath
  /** Whether the catalog has a component of this name, of any team. */
  readonly isInCatalog: (app: AppName) => Promise<Result<boolean, LoadFailure>>
}

/**
 * The systems that already have the name of a new application. Looks at the head of the gitops repository too, since the served
 * catalog may be older. A branch that blocks the branch of the proposal is a failure.
 */
export async function nameHolders(
  { gitHost, gitopsRepository: gitops, catalogDirectory, isInCatalog }: AvailabilityOptions,
  spec: Pick<ScaffoldSpec, 'team' | 'app' | 'org'>,
): Promise<Result<readonly NameHolder[], GitFailure | LoadFailure>> {
  const { team, app } = spec
  const head = await gitHost.head(gitops)
  if (!head.ok) return head
  const { commit } = head.value
  const component = componentPath(catalogDirectory, team, app)
  const proposal = scaffoldBranch(spec)
  const [isServed, hasComponent, files, repository, branch, room] = await Promise.all([
    isInCatalog(app),
    hasFile(gitHost, gitops, commit, component),
    gitHost.listFiles(gitops, { commit, directory: appPath(team, app) }),
    exists(gitHost.head(repositoryOf(spec)), 'repository'),
    exists(gitHost.head(gitops, proposal), 'branch'),
    refuseBlockedBranch(gitHost, gitops, proposal),
  ])
  if (!isServed.ok) return isServed
  if (!hasComponent.ok) return hasComponent
  if (!files.ok) return files
  if (!repository.ok) return repository
  if (!branch.ok) return branch
  if (!room.ok) return room
  const holders: NameHolder[] = []
  if (isServed.value || hasComponent.value) holders.push('catalog')
  if (files.value.tree !== null) holders.push('apps')
  if (repository.value) holders.push('git_host')
  if (branch.value) holders.push('pull_request')
  return ok(holders)
}

export async function hasFile(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
  commit: ObjectId,
  path: RepositoryPath,
): Promise<Result<boolean, GitFailure>> {
  for await (const file of gitHost.readFiles(repository, commit, [{ path }], 0)) {
    if (file.ok) return ok(true)
    return file.error.kind === 'git_not_found' ? ok(false) : file
  }
  return ok(false)
}

async function exists(
  head: ReturnType<GitHost['head']>,
  what: 'repository' | 'branch',
): Promise<Result<boolean, GitFailure>> {
  const found = await head
  if (found.ok) return ok(true)
  const { error } = found
  return error.kind === 'git_not_found' && error.what === what ? ok(false) : found
}
