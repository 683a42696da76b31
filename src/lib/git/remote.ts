import { createFair } from '../concurrency/fair.ts'
import { pauseBefore } from '../concurrency/pauses.ts'
import type { BranchName, RepositoryId } from '../names.ts'
import type { GitAnswer, Head } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { type GitOutput, hostError, runAtOnce, type RunOptions } from './git.ts'
import { networkSettings } from './git-config.ts'
import { cleaned, faultOf, hostPhrase } from './host-words.ts'

/** Address and credentials of a repository for git's own protocol, at this moment. */
export interface Connection {
  readonly url: string
  /** The `authorization` header. `null`: none. */
  readonly authorization: string | null
  /** The host has refused the credentials, or has the repository elsewhere. Returns whether `connect` knows better now. */
  readonly renew: (why: 'credentials' | 'moved') => Promise<boolean>
}

/** The repositories of one git host, as the engine needs them. */
export interface Remote {
  connect(repository: RepositoryId): GitAnswer<Connection>
  /** The last commit of a branch, by default of the default branch, as the host has it now. */
  head(repository: RepositoryId, branch?: BranchName): GitAnswer<Head>
  /** Refuses a repository that does not exist for readers, such as one that is being made. */
  requireComplete(repository: RepositoryId): GitAnswer<unknown>
  /** Refuses writes to a renamed or archived repository, whose own refusals may name no reason. */
  requireWritable(repository: RepositoryId): GitAnswer<void>
  /** The right to write, in the words of the host: `contents: write`. */
  readonly rightToWrite: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
}

const DEADLINE_MS = 30_000
/** Further attempts of a read. A push has none: what it did is looked up. */
const REPETITIONS_MAX = 2

/** Programs that speak to one host, of all repositories together. */
const AT_ONCE = 8
const { inTurn } = createFair({ queue: 'git_remote', permits: AT_ONCE, isElsewhere: true })

/** Runs a program of git that speaks to the host. Its exit status is the caller's to judge; a failed connection is a failure. */
export async function overNetwork(
  remote: Remote,
  repository: RepositoryId,
  directory: string,
  args: (url: string) => readonly string[],
  {
    isRepeatable = true,
    ...options
  }: Pick<RunOptions, 'deadlineMs' | 'signal'> & { readonly isRepeatable?: boolean } = {},
): GitAnswer<GitOutput> {
  let isRenewed = false
  for (let repetitions = 0; ; repetitions += 1) {
    const connection = await remote.connect(repository)
    if (!connection.ok) return connection
    const { url, authorization, renew } = connection.value
    const env = networkSettings(authorization, remote.authorityFile)
    const output = await inTurn(() =>
      runAtOnce(directory, args(url), { deadlineMs: DEADLINE_MS, ...options, env }),
    )
    if (!output.ok || output.value.code === 0) return output
    const stderr = cleaned(output.value.stderr, authorization)
    const fault = options.signal?.aborted ? null : faultOf(stderr, { remote, repository, url })
    if (fault === null) return ok({ ...output.value, stderr })
    const isRenewable = fault.kind === 'credentials' || (fault.kind === 'moved' && isRepeatable)
    if (isRenewable && !isRenewed) {
      isRenewed = true
      if (await renew(fault.kind)) continue
    }
    const isPassing = fault.kind === 'passing' && isRepeatable && repetitions < REPETITIONS_MAX
    if (!isPassing) return err(fault.failure)
    await Bun.sleep(pauseBefore(repetitions))
  }
}

export type RemoteRefs = ReadonlyMap<string, string>

/** Refs of the host, by full name, with their ids. */
export async function readRemoteRefs(
  remote: Remote,
  repository: RepositoryId,
  directory: string,
  pattern: string,
): GitAnswer<RemoteRefs> {
  // With one of these the host sends no others.
  const kind = pattern.startsWith('refs/heads/') ? ['--heads'] : []
  const listed = await overNetwork(remote, repository, directory, (url) => [
    'ls-remote',
    ...kind,
    '--end-of-options',
    url,
    pattern,
  ])
  if (!listed.ok) return listed
  const { code, stdout, stderr, isTruncated } = listed.value
  if (isTruncated) return err(hostError('the list of refs is too long'))
  if (code !== 0) return err(hostError(`git ls-remote: ${hostPhrase(stderr)}`))
  const refs = stdout.toString().matchAll(/^([0-9a-f]{40})\t(.+)$/gm)
  return ok(new Map(Array.from(refs, ([, id = '', ref = '']) => [ref, id])))
}
