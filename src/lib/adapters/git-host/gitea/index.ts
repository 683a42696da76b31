import { LRUCache } from 'lru-cache'
import { createQueue } from '../../../concurrency/queue.ts'
import type { ObjectId } from '../../../names.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { createKeptObjects } from '../hosted/kept-objects.ts'
import type { GitHostMeans } from '../means.ts'
import { createListArchive } from './archived-listing.ts'
import { createReadArchiveOf } from './archives.ts'
import { createReadBlob } from './blobs.ts'
import { createCheck } from './check.ts'
import { createGiteaClient, type GiteaClientOptions } from './client.ts'
import { createCommit } from './commit.ts'
import { createCommits } from './commits.ts'
import { createDecorate, type PullRequestSettings } from './decorate.ts'
import { createReadDirectory } from './directories.ts'
import { createFacts } from './facts.ts'
import { createReadFiles } from './files.ts'
import { createFindDirectory, createFindFile } from './find-file.ts'
import { createFurnish, type Furniture } from './furnish.ts'
import { createHeads } from './head.ts'
import { createListFiles } from './listing.ts'
import { createPullRequests } from './pull-requests.ts'
import { createReleases } from './releases.ts'
import { createRepositories, type RepositorySettings } from './repositories.ts'
import { createListTree } from './trees.ts'
import { createRequireWritable } from './writable.ts'

const KNOWN_SIZES_MAX = 200_000

export interface GiteaOptions extends GiteaClientOptions, Pick<GitHostMeans, 'publicOrigin'> {
  readonly repositories: RepositorySettings & Furniture
  readonly pullRequests: PullRequestSettings
}

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: GiteaOptions): GitHost {
  const { clock, log, publicOrigin } = options
  const { client, postPack: post, authorization } = createGiteaClient(options)
  const inTurn = createQueue()
  const facts = createFacts(client, clock)
  const heads = createHeads(client, facts)
  const commits = createCommits(client, facts)
  const requireCommit = commits.require
  const listTree = createListTree(client)
  const readDirectory = createReadDirectory(listTree)
  const sizes = new LRUCache<ObjectId, number>({ max: KNOWN_SIZES_MAX })
  const kept = createKeptObjects()
  const readArchiveOf = createReadArchiveOf(client)
  const listFiles = createListFiles({
    requireCommit,
    readDirectory,
    listTree,
    listArchive: createListArchive(readArchiveOf, kept),
    kept,
    noteSize: (blob, sizeBytes) => sizes.set(blob, sizeBytes),
  })
  const readFiles = createReadFiles({
    requireCommit,
    findFile: createFindFile(createFindDirectory(readDirectory)),
    sizeOf: (blob) => sizes.get(blob),
    readBlob: createReadBlob(client, kept),
    kept,
    readArchiveOf,
  })
  const requireWritable = createRequireWritable(facts)
  const commit = createCommit({
    post,
    heads,
    requireCommit,
    readDirectory,
    requireWritable,
    clock,
  })
  const repositories = createRepositories({
    client,
    facts,
    settings: options.repositories,
    post,
    heads,
    furnish: createFurnish(client, options.repositories, log),
    publicOrigin,
    inTurn,
    clock,
  })
  const pullRequests = createPullRequests({
    client,
    facts,
    heads,
    between: commits.between,
    requireWritable,
    decorate: createDecorate(client, options.pullRequests, log),
    inTurn,
    clock,
  })

  return {
    head: (repository, branch) => heads.read(repository, branch),
    listBranches: (repository, prefix) => heads.list(repository, prefix),
    listFiles,
    readFiles,
    listCommits: (repository, range) => commits.list(repository, range),
    commit,
    createRepository: repositories.create,
    findPullRequests: (repository, filter) => pullRequests.find(repository, filter),
    openPullRequest: (repository, request) => pullRequests.open(repository, request),
    check: createCheck({ client, facts, heads, post, requireWritable }),
    releases: createReleases({
      client,
      facts,
      url: new URL(`${options.url}/`),
      authorization,
      authority: options.authority,
    }),
  }
}
