import { join } from 'node:path'
import { createQueue } from '../../../concurrency/queue.ts'
import { createMirror } from '../../../git/mirror.ts'
import type { CommitOnHost } from '../../../git/mirror-push.ts'
import type { Remote } from '../../../git/remote.ts'
import type { Signing } from '../../../git/signing.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { ok } from '../../../result.ts'
import type { GitHostContext } from '../context.ts'
import type { HostClient } from './api/client.ts'
import { type BranchApi, type Branches, createBranches } from './branches.ts'
import {
  createKnownRepositories,
  type KnownRepositories,
  type RefusalWords,
  type RepositoryApi,
} from './known-repositories.ts'
import type { Policies } from './settings.ts'

const CREDENTIALS_DEADLINE_MS = 10_000

/** Options of a git host with an API. */
export interface HostedOptions
  extends Pick<GitHostContext, 'clock' | 'log' | 'publicOrigin' | 'dataDirectory'>, Policies {
  readonly client: HostClient
  /** URL that clone URLs begin with, without a slash at its end. */
  readonly webUrl: string
  /** URL of the host's pages, without a slash at its end; by default `webUrl`. */
  readonly pagesUrl?: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
  readonly signing: Signing | null
  /** Pauses while replicas of the host may not have a new repository yet. */
  readonly replicationWaitsMs?: readonly number[]
}

/** How a host names its repositories, their branches and its rights, to its API and to git. */
export interface HostNames {
  /** User name beside a token, for git; the hosts document one each. */
  readonly user: string
  readonly words: RefusalWords & { readonly write: string }
  /** Makes commits by the API of the host. By default they are pushed. */
  readonly commitOnHost?: (known: KnownRepositories) => CommitOnHost
  readonly repositoryApi?: RepositoryApi
  readonly branchApi: BranchApi
}

export type Hosted = ReturnType<typeof composeHosted>

/** A host with an API as its parts share it: its repositories and branches, what git itself reads and writes, and its options. */
export function composeHosted(options: HostedOptions, names: HostNames) {
  const { client, clock, signing } = options
  const known = createKnownRepositories(client, clock, names.words, names.repositoryApi)
  const branches = createBranches(client, known, names.branchApi)
  const mirror = createMirror({
    root: join(options.dataDirectory, 'mirrors'),
    remote: remoteOf(options, names, known, branches),
    clock,
    commitOnHost: names.commitOnHost?.(known) ?? null,
    signing,
  })
  const { content } = mirror
  const rightToWrite = names.words.write
  return { ...options, known, branches, mirror, content, rightToWrite, inTurn: createQueue() }
}

/** How git itself reaches a host that has an API. */
const remoteOf = (
  { webUrl, client: { credentials }, authorityFile }: HostedOptions,
  { user, words }: HostNames,
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
