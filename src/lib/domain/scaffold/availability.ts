import type { AppName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { LoadFailure } from '../catalog/load.ts'
import { lookForRoom } from '../gitops/branch-room.ts'
import { appPath, componentPath } from '../gitops/layout.ts'
import { scaffoldBranch } from './pull-request.ts'
import { repositoryOf, type ScaffoldSpec } from './spec.ts'

/** Where a name is in use already. */
export type Place = 'catalog' | 'apps' | 'git_host' | 'pull_request'

export interface AvailabilityOptions {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>
  readonly gitopsRepository: RepositoryId
  readonly catalogDirectory: RepositoryPath
  /** Whether the catalog has a component of this name, of any team. */
  readonly isInCatalog: (app: AppName) => Promise<Result<boolean, LoadFailure>>
}

/**
 * Where the name of a new application is taken: at the head of the branch, not only in the catalog that is served. It is a failure
 * if there is no room for the branch that is to propose it.
 */
export async function placesTaken(
  { gitHost, gitopsRepository: gitops, catalogDirectory, isInCatalog }: AvailabilityOptions,
  spec: Pick<ScaffoldSpec, 'team' | 'app' | 'org'>,
): Promise<Result<readonly Place[], GitFailure | LoadFailure>> {
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
    isThere(gitHost.head(repositoryOf(spec)), 'repository'),
    isThere(gitHost.head(gitops, proposal), 'branch'),
    lookForRoom(gitHost, gitops, proposal),
  ])
  if (!isServed.ok) return isServed
  if (!hasComponent.ok) return hasComponent
  if (!files.ok) return files
  if (!repository.ok) return repository
  if (!branch.ok) return branch
  if (!room.ok) return room
  const places: Place[] = []
  if (isServed.value || hasComponent.value) places.push('catalog')
  if (files.value.tree !== null) places.push('apps')
  if (repository.value) places.push('git_host')
  if (branch.value) places.push('pull_request')
  return ok(places)
}

export async function hasFile(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
  commit: ObjectId,
  path: RepositoryPath,
): Promise<Result<boolean, GitFailure>> {
  for await (const file of gitHost.readFiles(repository, commit, [{ path }], 0)) {
    if (!file.ok) return file.error.kind === 'git_not_found' ? ok(false) : file
  }
  return ok(true)
}

async function isThere(
  head: ReturnType<GitHost['head']>,
  what: 'repository' | 'branch',
): Promise<Result<boolean, GitFailure>> {
  const found = await head
  if (found.ok) return ok(true)
  const { error } = found
  return error.kind === 'git_not_found' && error.what === what ? ok(false) : found
}
