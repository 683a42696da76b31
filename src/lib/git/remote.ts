import { createSemaphore } from '../concurrency/semaphore.ts'
import type { BranchName, RepositoryId } from '../names.ts'
import type { GitFailure, Head } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { type GitOutput, hostError, runAtOnce, type RunOptions } from './git.ts'
import { networkSettings } from './git-config.ts'

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
  connect(repository: RepositoryId): Promise<Result<Connection, GitFailure>>
  /** The last commit of a branch, by default of the default branch, as the host has it now. */
  head(repository: RepositoryId, branch?: BranchName): Promise<Result<Head, GitFailure>>
  /** Refuses a repository that does not exist for readers, such as one that is being made. */
  requireComplete(repository: RepositoryId): Promise<Result<void, GitFailure>>
  /** Refuses writes to a renamed or archived repository, whose own refusals may name no reason. */
  requireWritable(repository: RepositoryId): Promise<Result<void, GitFailure>>
  /** The right to write, in the words of the host: `contents: write`. */
  readonly rightToWrite: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
}

const DEADLINE_MS = 30_000
/** Further attempts of a read. A push has none: what it did is looked up. */
const REPETITIONS_MAX = 2
const PAUSE_MS = 100
const PAUSE_GROWTH = 3

export interface NetworkOptions extends Pick<
  RunOptions,
  'deadlineMs' | 'outputBytesMax' | 'signal'
> {
  readonly isRepeatable?: boolean
}

/** Programs that speak to one host, of all repositories together. */
const AT_ONCE = 8
const inTurn = createSemaphore(AT_ONCE)

/** Runs a program of git that speaks to the host. Its exit status is the caller's to judge; a failed connection is a failure. */
export async function overNetwork(
  remote: Remote,
  repository: RepositoryId,
  directory: string,
  args: (url: string) => readonly string[],
  { isRepeatable = true, ...options }: NetworkOptions = {},
): Promise<Result<GitOutput, GitFailure>> {
  let isRenewed = false
  for (let repetitions = 0; ; repetitions += 1) {
    const connection = await remote.connect(repository)
    if (!connection.ok) return connection
    const { url, authorization, renew } = connection.value
    const env = networkSettings({ authorization, authorityFile: remote.authorityFile })
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
    await Bun.sleep(PAUSE_MS * PAUSE_GROWTH ** repetitions * (0.5 + Math.random()))
  }
}

/** `upload-pack.c`, and `fetch-pack.c` at hosts without protocol version 2. */
export const MISSING_COMMIT = /not our ref|unadvertised object|couldn't find remote ref/

interface Fault {
  /** `passing`: the same request may succeed a moment later. */
  readonly kind: 'credentials' | 'moved' | 'passing' | 'final'
  readonly failure: GitFailure
}

interface Question {
  readonly remote: Pick<Remote, 'rightToWrite'>
  readonly repository: RepositoryId
  readonly url: string
}

/**
 * The fault in the words of git's HTTP transport (`remote-curl.c`, `http.c`) and of curl (`curl_easy_strerror`).
 * `null`: the connection worked.
 */
function faultOf(all: string, { remote, repository, url }: Question): Fault | null {
  // Hooks and pages of the host may quote the words of git and curl.
  const stderr = all.replaceAll(/^remote:.*$/gm, '')
  if (MISSING_COMMIT.test(stderr)) return null
  const { origin } = new URL(url)
  const name = `${repository.owner}/${repository.name}`
  const final = (failure: GitFailure): Fault => ({ kind: 'final', failure })
  const unreachable = (why: string): Fault => ({
    kind: 'passing',
    failure: { kind: 'git_host_unreachable', reason: `${origin} ${why}` },
  })
  const words = remoteWords(all)
  const status = Number(/returned error: (\d{3})/.exec(stderr)?.[1] ?? 0)
  if (/could not read (?:Username|Password)|Authentication failed/.test(stderr) || status === 401) {
    const failure = { kind: 'git_denied', what: 'the credentials were refused' } as const
    return { kind: 'credentials', failure }
  }
  if (/^fatal: repository .* not found/m.test(stderr) || status === 404 || status === 410) {
    return final({ kind: 'git_not_found', what: 'repository' })
  }
  if (status === 429) return final({ kind: 'git_rate_limited', retryAfterSeconds: 60 })
  if (status >= 300 && status < 400) {
    return { kind: 'moved', failure: { kind: 'git_denied', what: `${name} was renamed` } }
  }
  if (status === 403 && /archived|read-only/i.test(words)) {
    return final({ kind: 'git_denied', what: `${name} is archived` })
  }
  if (status === 403) {
    const because = words === '' ? '' : ` (${words})`
    return final({ kind: 'git_denied', what: `${remote.rightToWrite} on ${name}${because}` })
  }
  if (status === 413) {
    return final({ kind: 'git_denied', what: `${name} takes no commit of this size` })
  }
  if (status >= 500) return unreachable(`answered with ${status}`)
  if (status > 0) return final(hostError(`git was answered with ${status}`))
  const [, why] = /unable to access '[^']*': (.*)/.exec(stderr) ?? []
  if (why !== undefined) return unreachable(`cannot be reached (${phraseOf(why)})`)
  return /early EOF|hung up unexpectedly|unexpected disconnect|RPC failed|expected flush/.test(
    stderr,
  )
    ? unreachable('ended its answer too early')
    : null
}

/** A proxy may repeat the headers of a request, and a host anything. */
function cleaned(stderr: string, authorization: string | null): string {
  const text = stderr.replaceAll(/[^\P{Cc}\n]/gu, ' ')
  if (authorization === null) return text
  const basic = authorization.slice(authorization.indexOf(' ') + 1)
  const decoded = Buffer.from(basic, 'base64').toString()
  const token = decoded.slice(decoded.indexOf(':') + 1)
  return text.replaceAll(basic, '***').replaceAll(token, '***')
}

const PHRASE_MAX_CHARACTERS = 200

/** One line of printable ASCII, without the parts of a URL that may be credentials. */
const phraseOf = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/(https?:\/\/)[^\s/?#]*@/gi, '$1')
    .trim()
    .slice(0, PHRASE_MAX_CHARACTERS)

/** The sentences of the host beside git's own, which it prints as `remote: …`; the first that is not decoration. */
function remoteWords(stderr: string): string {
  const sentences = stderr
    .split('\n')
    .flatMap((line) => /^remote:(.*)/.exec(line)?.[1]?.replace(/^\s*(?:error|fatal):/i, '') ?? [])
    .map(phraseOf)
  return sentences.find((sentence) => /\w/.test(sentence)) ?? ''
}

/** A refusal of a push by the host, in its words; `docs/decisions/git-hosts.md` has their sources. */
export function refusedPush(
  stderr: string,
  { remote, repository, branch }: Omit<Question, 'url'> & { readonly branch: BranchName },
): GitFailure {
  const name = `${repository.owner}/${repository.name}`
  const words = remoteWords(stderr)
  if (/permission denied|permission to \S+ denied|not allowed to push code to this/i.test(stderr)) {
    return { kind: 'git_denied', what: `${remote.rightToWrite} on ${name}` }
  }
  if (/without `?'?workflows?/i.test(stderr)) {
    return { kind: 'git_denied', what: `workflows: write on ${name}` }
  }
  if (/protected branch|GH006/i.test(stderr)) {
    return { kind: 'git_denied', what: `branch ${branch} of ${name} is protected` }
  }
  return {
    kind: 'git_denied',
    what: `a rule of ${name} refused the commit${words === '' ? '' : `: ${words}`}`,
  }
}

export type RemoteRefs = ReadonlyMap<string, string>

/** Refs of the host, by full name, with their ids. */
export async function readRemoteRefs(
  remote: Remote,
  repository: RepositoryId,
  directory: string,
  pattern: string,
): Promise<Result<RemoteRefs, GitFailure>> {
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
  if (code !== 0) return err(hostError(`git ls-remote: ${phraseOf(stderr)}`))
  const refs = stdout.toString().matchAll(/^([0-9a-f]{40})\t(.+)$/gm)
  return ok(new Map(Array.from(refs, ([, id = '', ref = '']) => [ref, id])))
}
