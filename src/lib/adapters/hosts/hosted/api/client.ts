import { hostPhrase } from '../../../../git/host-words.ts'
import type { GitAnswer, GitFailure } from '../../../../ports/git-host.ts'
import { err } from '../../../../result.ts'
import { isObject } from '../../../../text/json.ts'
import type { Credentials } from './credentials.ts'

/**
 * The REST API of a git host. Answers with 2xx, 3xx and 4xx are values that the caller interprets. The client itself turns
 * into failures: connection faults, deadlines, cut-off bodies and bodies that are no JSON, 5xx (502 to 504: an outage), refused credentials (401)
 * and rate limits. While a rate limit lasts, calls fail without a request.
 *
 * `path` is below the root of the API and begins with a slash: see `apiPath`.
 */
export interface HostClient {
  /** GET. Repeated after connection faults, cut-off bodies and 502 to 504. Redirects are followed within the API's origin. */
  read(path: string, options?: ReadOptions): GitAnswer<Answer>
  /** The items of all pages of a list, in order, by `Link: rel="next"`. */
  readPages(path: string, options: PagesOptions): GitAnswer<PagesAnswer>
  /** One attempt, never repeated unless it is a question. A redirect is `git_denied`: the repository was renamed. */
  write(
    method: WriteMethod,
    path: string,
    body?: unknown,
    options?: WriteOptions,
  ): GitAnswer<Answer>
  /** The bytes of a release asset at a path of the API, or at a URL of the host, not decompressed. Their reader bounds them. */
  openAsset(place: string | URL, signal: AbortSignal): GitAnswer<ReadableStream<Uint8Array>>
  readonly credentials: Credentials
}

export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** `undefined`: no body. */
  readonly json: unknown
}

/** `truncated`: there are further pages. `refused`: a page was answered with another status than 200. */
export type PagesAnswer =
  | { readonly kind: 'list'; readonly items: readonly unknown[]; readonly truncated: boolean }
  | { readonly kind: 'refused'; readonly answer: Answer }

export interface ReadOptions {
  readonly query?: Readonly<Record<string, string | number>>
  readonly maxBytes?: number
}

export interface WriteOptions {
  /** A query of GraphQL: it changes nothing, and is sent like a read. */
  readonly isQuestion?: boolean
  readonly deadlineMs?: number
}

export interface PagesOptions extends ReadOptions {
  readonly pagesMax: number
  /** Stops before the next page. */
  readonly enough?: (items: readonly unknown[]) => boolean
}

/**
 * A path of the API, such as apiPath`/repos/${owner}/${name}/git/ref/heads/${branch}`. Values are encoded segment by
 * segment; their slashes stay slashes. Throws for a segment that a URL would resolve, which is a bug: names exclude them.
 */
export function apiPath(literals: TemplateStringsArray, ...values: readonly (string | number)[]) {
  const encoded = values.map((value) => String(value).split('/').map(encodeSegment).join('/'))
  return String.raw({ raw: literals }, ...encoded)
}

function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new Error('a path segment is empty or consists of dots')
  return encodeURIComponent(segment)
}

/** The `message` of an error answer. GitLab writes a text, texts or texts by field, or `error` when its OAuth layer refuses. */
export function messageOf({ json }: Pick<Answer, 'json'>): string {
  if (!isObject(json)) return ''
  const { message, error_description: description, error } = json
  const said = message ?? description ?? error
  if (typeof said === 'string') return hostPhrase(said)
  const isTexts = typeof said === 'object' && said !== null
  return isTexts ? hostPhrase(JSON.stringify(said).replaceAll(/["[\]{}]/g, '')) : ''
}

export type HostError = Extract<GitFailure, { kind: 'git_host_error' }>

/** An answer that is not as documented. */
export const hostError = (reason: string) =>
  err({ kind: 'git_host_error', reason: hostPhrase(reason) } as const)

export interface Subject {
  /** Full name, such as `acme/gitops`. */
  readonly repository: string
  /** The right that the operation needs, such as `contents: write`. */
  readonly right: string
}

/** The failure that any operation takes an unsuccessful answer for, unless it knows better. */
export function refusalOf(answer: Answer, { repository, right }: Subject): GitFailure {
  const { status } = answer
  const message = messageOf(answer)
  const because = message === '' ? '' : ` (${message})`
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'repository' }
  if (status === 403) return { kind: 'git_denied', what: `${right} on ${repository}${because}` }
  if (status === 423) return { kind: 'git_denied', what: `${repository} is archived` }
  if (status === 451) {
    return { kind: 'git_denied', what: `${repository} is blocked for legal reasons` }
  }
  return { kind: 'git_host_error', reason: `answered with ${status}${because}` }
}
