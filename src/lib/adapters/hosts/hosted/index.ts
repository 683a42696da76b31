import { join } from 'node:path'
import { createQueue } from '../../../concurrency/queue.ts'
import { createMirror } from '../../../git/mirror.ts'
import type { CommitOnHost } from '../../../git/mirror-push.ts'
import type { Remote } from '../../../git/remote.ts'
import type { Signing } from '../../../git/signing.ts'
import type { BranchName } from '../../../names.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { ok } from '../../../result.ts'
import type { GitHostContext } from '../context.ts'
import type { HostClient } from './api/client.ts'
import type { Credentials } from './api/credentials.ts'
import { type BranchApi, type Branches, createBranches } from './branches.ts'
import {
  createKnownRepositories,
  type KnownRepositories,
  type RefusalWords,
  type RepositoryApi,
} from './known-repositories.ts'
import { type CreationApi, createRepositories } from './repositories.ts'

const CREDENTIALS_DEADLINE_MS = 10_000

export interface HostedOptions extends Pick<
  GitHostContext,
  'clock' | 'log' | 'publicOrigin' | 'dataDirectory'
> {
  readonly client: HostClient
  readonly credentials: Credentials
  /** User name beside a token, for git; the hosts document one each. */
  readonly user: string
  /** URL that clone URLs begin with, without a slash at its end. */
  readonly webUrl: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
  readonly signing: Signing | null
  /** Makes commits by the API of the host. By default they are pushed. */
  readonly commitOnHost?: (known: KnownRepositories) => CommitOnHost
  readonly words: RefusalWords & { readonly write: string }
  readonly repositoryApi?: RepositoryApi
  readonly branchApi: BranchApi
  readonly creationApi: CreationApi
  readonly defaultBranch: BranchName
  /** Pauses while replicas of the host may not have a new repository yet. */
  readonly replicationWaitsMs?: readonly number[]
}

/** What every host with an API has: its repositories, their branches, and what git itself reads and writes. */
export function createHosted(options: HostedOptions) {
  const { client, clock, log, words, signing, replicationWaitsMs = [] } = options
  const inTurn = createQueue()
  const known = createKnownRepositories(client, clock, words, options.repositoryApi)
  const branches = createBranches(client, known, options.branchApi)
  const mirror = createMirror({
    root: join(options.dataDirectory, 'mirrors'),
    remote: remoteOf(options, known, branches),
    clock,
    commitOnHost: options.commitOnHost?.(known) ?? null,
    signing,
  })
  const { content } = mirror
  const shared = { client, known, branches, mirror, content, inTurn, clock, log }
  const { create: createRepository } = createRepositories({
    ...options,
    ...shared,
    api: options.creationApi,
    rightToWrite: words.write,
    replicationWaitsMs,
  })
  return { ...shared, createRepository }
}

export type Hosted = ReturnType<typeof createHosted>

/** How git itself reaches a host that has an API. */
const remoteOf = (
  { webUrl, credentials, user, words, authorityFile }: HostedOptions,
  known: KnownRepositories,
  branches: Branches,
): Remote => ({
  async connect(repository) {
    const given = await withinDeadline(CREDENTIALS_DEADLINE_MS, (signal) =>
      credentials.current(signal),
    )
    if (!given.ok) return given
    const token = given.value.slice(given.value.indexOf(' ') + 1)
    const basic = Buffer.from(`${user}:${token}`).toString('base64')
    return ok({
      url: `${webUrl}/${known.fullNameOf(repository)}.git`,
      authorization: `Basic ${basic}`,
      async renew(why) {
        if (why === 'credentials') return credentials.refused(given.value)
        const before = known.fullNameOf(repository)
        await known.now(repository)
        return known.fullNameOf(repository) !== before
      },
    })
  },
  head: (repository, branch) => branches.head(repository, branch),
  requireComplete: (repository) => known.requireComplete(repository),
  requireWritable: (repository) => known.requireWritable(repository),
  rightToWrite: words.write,
  authorityFile,
})
