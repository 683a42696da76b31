import { LRUCache } from 'lru-cache'
import { createQueue } from '../../../concurrency/queue.ts'
import type { ObjectId } from '../../../names.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { createBranches } from '../hosted/branches.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { type FileMeans, readFiles } from '../hosted/files.ts'
import { createKeptObjects } from '../hosted/objects/kept-objects.ts'
import { createKnownRepositories } from '../hosted/known-repositories.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import { pageUrl } from '../page-url.ts'
import type { GitHostMeans } from '../means.ts'
import { archivePath } from './git/archived-listing.ts'
import { type AssetMeans, openAsset } from './assets.ts'
import { createCheck } from './check.ts'
import { createGiteaClient, type GiteaClientOptions } from './client.ts'
import { createCommit } from './push/commit.ts'
import { createCommits } from './git/commits.ts'
import { createFindEntry, createReadDirectory } from './git/directories.ts'
import { createFurnish, type Furniture } from './furnish.ts'
import { createListFiles } from './git/listing.ts'
import { commonDirectory, locateFiles, type LocateMeans } from './git/locate-files.ts'
import { findMergedPullRequest, type MergedPullMeans } from './merged-pull.ts'
import { createPullHeads } from './pull-heads.ts'
import { createGiteaPullRequests } from './pull-requests.ts'
import { createRepositories, type RepositorySettings } from './repositories.ts'
import { createListTree } from './git/trees.ts'

const RELEASES_PER_PAGE = 50
const KNOWN_SIZES_MAX = 200_000

export interface GiteaOptions extends GiteaClientOptions, Pick<GitHostMeans, 'publicOrigin'> {
  readonly repositories: RepositorySettings & Furniture
  readonly pullRequests: PullRequestPolicy
}

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: GiteaOptions): GitHost {
  const { authority, clock, log, publicOrigin } = options
  const { client, postPack: post, authorization } = createGiteaClient(options)
  const inTurn = createQueue()
  const right = 'repository: read'
  const known = createKnownRepositories(client, clock, {
    failureOf: refusalOf,
    see: right,
    read: right,
  })
  const branches = createBranches(client, known, {
    one: '/git/refs',
    many: '/git/refs',
    removable: '/branches',
  })
  const commits = createCommits(client, known)
  const requireCommit = commits.require
  const listTree = createListTree(client, known)
  const readDirectory = createReadDirectory(listTree)
  const findEntry = createFindEntry(readDirectory)
  const sizes = new LRUCache<ObjectId, number>({ max: KNOWN_SIZES_MAX })
  const kept = createKeptObjects()
  const listFiles = createListFiles({
    client,
    requireCommit,
    readDirectory,
    findEntry,
    listTree,
    kept,
    noteSize: (blob, sizeBytes) => sizes.set(blob, sizeBytes),
  })
  const location: LocateMeans = {
    requireCommit,
    findEntry,
    kept,
    sizeOf: (blob) => sizes.get(blob),
  }
  const files: FileMeans = {
    client,
    known,
    kept,
    log,
    locate: (repository, commit, wanted) => locateFiles(location, repository, commit, wanted),
    archiveOf: (commit, paths) => archivePath(commit, commonDirectory(paths)),
  }
  const commit = createCommit({ post, branches, requireCommit, readDirectory, known, clock })
  const repositories = createRepositories({
    client,
    known,
    settings: options.repositories,
    post,
    branches,
    furnish: createFurnish(client, options.repositories, log),
    publicOrigin,
    inTurn,
    clock,
  })
  const pullRequests = createGiteaPullRequests(
    { client, known, branches, commits, inTurn, clock, log },
    options.pullRequests,
  )
  const mergedPulls: MergedPullMeans = {
    client,
    known,
    heads: createPullHeads(client, known),
    find: pullRequests.find,
  }
  const releases: ReleaseMeans = {
    client,
    known,
    query: { limit: RELEASES_PER_PAGE },
    assetId: (releaseId, assetId) => `${releaseId}/${assetId}`,
  }
  const assets: AssetMeans = {
    client,
    known,
    url: new URL(`${options.url}/`),
    authorization,
    authority,
  }

  return {
    head: (repository, branch) => branches.head(repository, branch),
    listBranches: (repository, prefix) => branches.list(repository, prefix),
    listFiles,
    readFiles: (repository, commit, wanted, maxBytes) =>
      readFiles(files, repository, commit, wanted, maxBytes),
    listCommits: (repository, range) => commits.list(repository, range),
    listPathCommits: (repository, history) => commits.ofPath(repository, history),
    commit,
    removeBranch: (repository, head) => branches.remove(repository, head),
    createRepository: repositories.create,
    findPullRequests: (repository, filter) => pullRequests.find(repository, filter),
    findMergedPullRequest: (repository, merged) =>
      findMergedPullRequest(mergedPulls, repository, merged),
    openPullRequest: (repository, request) => pullRequests.open(repository, request),
    pageUrl: (repository, page) => pageUrl(options.url, 'src/commit', repository, page),
    check: createCheck({ client, known, branches, post }),
    releases: {
      list: (repository) => listReleases(releases, repository),
      openAsset: (repository, asset, signal) => openAsset(assets, repository, asset, signal),
    },
  }
}
