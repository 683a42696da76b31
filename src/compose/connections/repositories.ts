import type { RepositoryId, RepositoryPath } from '../../lib/names.ts'
import { type ConnectionFinding, fails, works } from '../../lib/ports/connection-finding.ts'
import type { GitFailure, GitHost, Head } from '../../lib/ports/git-host.ts'
import { failureText } from '../../lib/ports/git-host/failure-text.ts'
import type { Result } from '../../lib/result.ts'

export interface RepositoriesToCheck {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'releases' | 'check'>
  /** Whether the git host is the embedded one. */
  readonly isEmbedded: boolean
  readonly gitops: RepositoryId
  readonly catalogDirectory: RepositoryPath
  readonly filesMax: number
  readonly templates: RepositoryId
  /** Whether the setting names it. The default may be missing. */
  readonly isTemplatesGiven: boolean
  /** `null`: the setting is missing. */
  readonly cli: RepositoryId | null
}

/** Failures that every other call would have too. */
const OUTAGES: ReadonlySet<GitFailure['kind']> = new Set([
  'git_host_unreachable',
  'git_host_timeout',
  'git_rate_limited',
])

/** Reads what `serve` reads from the git host, and tries the rights that it needs. */
export async function checkRepositories(
  repositories: RepositoriesToCheck,
): Promise<readonly ConnectionFinding[]> {
  const { gitHost, gitops } = repositories
  const head = await gitHost.head(gitops)
  if (!head.ok && OUTAGES.has(head.error.kind)) {
    return [headFailure('GITOPS_REPOSITORY', gitops, head.error)]
  }
  const isMissing =
    !head.ok && head.error.kind === 'git_not_found' && head.error.what === 'repository'
  if (isMissing && repositories.isEmbedded) {
    return [
      fails(
        `There is no ${nameOf(gitops)} (GITOPS_REPOSITORY) yet: make it in Repositories, New repository.`,
      ),
    ]
  }
  const findings = await Promise.all([
    checkGitops(repositories, head),
    checkTemplates(repositories),
    checkReleases(repositories),
    checkRights(repositories),
  ])
  return findings.flat()
}

async function checkGitops(
  { gitHost, gitops, catalogDirectory, filesMax }: RepositoriesToCheck,
  head: Result<Head, GitFailure>,
): Promise<readonly ConnectionFinding[]> {
  if (!head.ok) return [headFailure('GITOPS_REPOSITORY', gitops, head.error)]
  const { commit, branch } = head.value
  const listed = await gitHost.listFiles(gitops, {
    commit,
    directory: catalogDirectory,
    filesMax,
  })
  const folder = `the folder ${catalogDirectory} of ${nameOf(gitops)} (branch ${branch})`
  if (!listed.ok) return [fails(`The catalog, ${folder}, cannot be read: ${textOf(listed.error)}.`)]
  if (listed.value.tree === null) {
    return [
      fails(
        `There is no catalog: ${folder} does not exist. CATALOG_DIRECTORY must name the folder.`,
      ),
    ]
  }
  const { length } = listed.value.files
  return [works(`The catalog is ${folder}, with ${length} ${length === 1 ? 'file' : 'files'}.`)]
}

async function checkTemplates({
  gitHost,
  templates: repository,
  isTemplatesGiven,
}: RepositoriesToCheck): Promise<readonly ConnectionFinding[]> {
  const head = await gitHost.head(repository)
  if (head.ok) {
    return [works(`Templates come from ${nameOf(repository)} (branch ${head.value.branch}).`)]
  }
  if (!isTemplatesGiven && head.error.kind === 'git_not_found') {
    return [
      works(
        `There is no repository ${nameOf(repository)}: nobody can start a project from a template. TEMPLATES_REPOSITORY can name another one.`,
      ),
    ]
  }
  return [headFailure('TEMPLATES_REPOSITORY', repository, head.error)]
}

async function checkReleases({
  gitHost,
  cli,
}: RepositoriesToCheck): Promise<readonly ConnectionFinding[]> {
  if (cli === null) return []
  const releases = await gitHost.releases.list(cli)
  if (!releases.ok) return [headFailure('CLI_REPOSITORY', cli, releases.error)]
  const { length } = releases.value
  return [
    length === 0
      ? fails(`${nameOf(cli)} (CLI_REPOSITORY) has no release to download.`)
      : works(`Releases of the command line client come from ${nameOf(cli)}; there are ${length}.`),
  ]
}

/** New repositories get the owner of the gitops repository. */
const checkRights = ({
  gitHost,
  gitops,
  templates,
  cli,
}: RepositoriesToCheck): Promise<readonly ConnectionFinding[]> =>
  gitHost.check({ gitops, templates, cli, owners: [gitops.owner] })

const nameOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`

const headFailure = (variable: string, repository: RepositoryId, failure: GitFailure) =>
  fails(`${nameOf(repository)} (${variable}) cannot be read: ${textOf(failure)}.`)

function textOf(failure: GitFailure): string {
  if (failure.kind === 'git_denied') return `the git host refuses it: ${failure.what}`
  if (failure.kind !== 'git_not_found') return failureText(failure)
  return failure.what === 'repository'
    ? 'the git host has no such repository, or our credentials do not show it'
    : 'it has no commit on its default branch'
}
