import type { AppName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { allOk, err, ok, type Result } from '../../result.ts'
import type { LoadFailure } from '../catalog/load-failure.ts'
import { appPath, componentPath, sameNamed } from '../gitops/application.ts'
import { findBlocking } from '../gitops/branches.ts'
import type { Pipeline } from '../promotion/pipeline.ts'
import { scaffoldBranch } from './pull-request.ts'
import { repositoryOf, type ScaffoldSpec } from './spec.ts'

/** Files that are listed to find out whether a folder exists: most have fewer. */
const FOLDER_FILES_MAX = 1_000

/** Systems that can have the name already. */
export type NameHolder = 'catalog' | 'apps' | 'git_host' | 'pull_request' | 'object_name'

export interface AvailabilityOptions {
  readonly gitHost: Pick<GitHost, 'head' | 'listBranches' | 'listFiles' | 'readFiles'>
  readonly gitopsRepository: RepositoryId
  readonly catalogDirectory: RepositoryPath
  readonly pipeline: Pick<Pipeline, 'first' | 'stages'>
  /** Whether the catalog has a component of this name, of any team. */
  readonly isInCatalog: (app: AppName) => Promise<Result<boolean, LoadFailure>>
}

/**
 * The systems that already have the name of a new application. Looks at the head of the gitops repository too, since the served
 * catalog may be older. A branch that blocks the branch of the proposal is a failure.
 */
export async function nameHolders(
  {
    gitHost,
    gitopsRepository: gitops,
    catalogDirectory,
    pipeline,
    isInCatalog,
  }: AvailabilityOptions,
  spec: Pick<ScaffoldSpec, 'team' | 'app' | 'org'>,
): Promise<Result<readonly NameHolder[], GitFailure | LoadFailure>> {
  const { team, app } = spec
  const head = await gitHost.head(gitops)
  if (!head.ok) return head
  const { commit } = head.value
  const component = componentPath(catalogDirectory, team, app)
  const proposal = scaffoldBranch(spec)
  const environments = pipeline.stages.map(({ environment }) => environment)
  const read = await allOk([
    isInCatalog(app),
    hasFile(gitHost, gitops, commit, component),
    hasFolder(gitHost, gitops, commit, appPath(team, app)),
    hasRepository(gitHost, repositoryOf(spec)),
    findBlocking(gitHost, gitops, proposal),
    gitHost.listBranches(gitops, proposal),
    hasNameConflict(gitHost, gitops, commit, spec, environments),
  ])
  if (!read.ok) return read
  const [isServed, hasComponent, folder, repository, blocking, branches, isNameTaken] = read.value
  const by = blocking ?? branches.find((branch) => branch.startsWith(`${proposal}/`))
  if (by !== undefined) return err({ kind: 'git_branch_blocked', branch: proposal, by })
  const holders: NameHolder[] = []
  if (isServed || hasComponent) holders.push('catalog')
  if (folder) holders.push('apps')
  if (repository) holders.push('git_host')
  if (branches.includes(proposal)) holders.push('pull_request')
  if (isNameTaken) holders.push('object_name')
  return ok(holders)
}

/** Whether an application, or the proposal of one, has objects with the names of this one's in one of the environments. */
export async function hasNameConflict(
  gitHost: Pick<GitHost, 'listFiles' | 'listBranches'>,
  repository: RepositoryId,
  commit: ObjectId,
  { team, app }: Pick<ScaffoldSpec, 'team' | 'app'>,
  environments: readonly string[],
): Promise<Result<boolean, GitFailure>> {
  const others = environments.flatMap((environment) =>
    sameNamed({ team, app, environment }, environments),
  )
  const byPath = new Map(others.map((other) => [appPath(other.team, other.app), other]))
  for (const [directory, other] of byPath) {
    const branch = scaffoldBranch(other)
    const read = await allOk([
      hasFolder(gitHost, repository, commit, directory),
      gitHost.listBranches(repository, branch),
    ])
    if (!read.ok) return read
    const [hasApplication, branches] = read.value
    if (hasApplication || branches.includes(branch)) return ok(true)
  }
  return ok(false)
}

/** Whether a commit has a folder, whatever is in it. */
export async function hasFolder(
  gitHost: Pick<GitHost, 'listFiles'>,
  repository: RepositoryId,
  commit: ObjectId,
  directory: RepositoryPath,
): Promise<Result<boolean, GitFailure>> {
  const at = { commit, directory, filesMax: FOLDER_FILES_MAX }
  const listed = await gitHost.listFiles(repository, at)
  return listed.ok ? ok(listed.value.tree !== null) : listed
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

async function hasRepository(
  gitHost: Pick<GitHost, 'head'>,
  repository: RepositoryId,
): Promise<Result<boolean, GitFailure>> {
  const head = await gitHost.head(repository)
  if (head.ok) return ok(true)
  const { error } = head
  return error.kind === 'git_not_found' && error.what === 'repository' ? ok(false) : head
}
