import type { BranchName, RepositoryId } from '../names.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { hostError } from './git.ts'

/** Failures of a write after which its effect may exist. The caller looks for the effect before it answers. */
export const isUncertain = ({ kind }: GitFailure): boolean =>
  kind === 'git_host_unreachable' || kind === 'git_host_timeout' || kind === 'git_host_error'

/** `upload-pack.c`, and `fetch-pack.c` at hosts without protocol version 2. */
export const MISSING_COMMIT = /not our ref|unadvertised object|couldn't find remote ref/

interface Fault {
  /** `passing`: the same request may succeed a moment later. */
  readonly kind: 'credentials' | 'moved' | 'passing' | 'final'
  readonly failure: GitFailure
}

interface Question {
  /** Its right to write, in the words of the host. */
  readonly remote: { readonly rightToWrite: string }
  readonly repository: RepositoryId
  readonly url: string
}

/**
 * The fault in the words of git's HTTP transport (`remote-curl.c`, `http.c`) and of curl (`curl_easy_strerror`).
 * `null`: the connection worked.
 */
export function faultOf(all: string, { remote, repository, url }: Question): Fault | null {
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
  if (why !== undefined) return unreachable(`cannot be reached (${hostPhrase(why)})`)
  return /early EOF|hung up unexpectedly|unexpected disconnect|RPC failed|expected flush/.test(
    stderr,
  )
    ? unreachable('ended its answer too early')
    : null
}

/** A proxy may repeat the headers of a request, and a host anything. */
export function cleaned(stderr: string, authorization: string | null): string {
  const text = stderr.replaceAll(/[^\P{Cc}\n]/gu, ' ')
  if (authorization === null) return text
  const basic = authorization.slice(authorization.indexOf(' ') + 1)
  const decoded = Buffer.from(basic, 'base64').toString()
  const token = decoded.slice(decoded.indexOf(':') + 1)
  return text.replaceAll(basic, '***').replaceAll(token, '***')
}

const PHRASE_MAX_CHARACTERS = 200

/** Text of a host, fit for logs: one line of printable ASCII, without the parts of a URL that may be credentials or a signature. */
export const hostPhrase = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/(https?:\/\/)[^\s/?#]*@/gi, '$1')
    .replaceAll(/(https?:\/\/[^\s?#]*)[?#]\S*/gi, '$1')
    .trim()
    .slice(0, PHRASE_MAX_CHARACTERS)

/** The sentences of the host beside git's own, which it prints as `remote: …`; the first that is not decoration. */
function remoteWords(stderr: string): string {
  const sentences = stderr
    .split('\n')
    .flatMap((line) => /^remote:(.*)/.exec(line)?.[1]?.replace(/^\s*(?:error|fatal):/i, '') ?? [])
    .map(hostPhrase)
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
