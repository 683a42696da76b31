import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { isLoopback } from '../../../../text/ip-address.ts'
import { isUnavailable } from './outage.ts'

/** Until the body begins, redirects included. The reader bounds the body itself. */
const HEADERS_TIMEOUT_MS = 15_000
const REDIRECTS_MAX = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const RETRY_AFTER_SECONDS = 60
/** The longest wait that is believed. */
const RETRY_AFTER_MAX_SECONDS = 24 * 60 * 60

/** The failure for 401, after which other credentials may be tried. */
export const CREDENTIALS_REFUSED = {
  kind: 'git_denied',
  what: 'the credentials were refused',
} as const satisfies GitFailure

export interface AssetRequest {
  readonly url: URL
  /** Credentials and other headers, sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>
  /** Allows a redirect to another origin: to storage of the host, never into our own network. */
  readonly mayLeadTo: (url: URL) => boolean
  /** Certificate authority of the origin of `url` and of hosts below its name, PEM. By default, and for others, the system's. */
  readonly authority?: string
  readonly timeoutMs?: number
}

type AssetStream = Result<ReadableStream<Uint8Array>, GitFailure>

/**
 * The bytes of a release asset, not decompressed. Redirects are followed by hand: fetch would send custom headers to the
 * other origin, and follow to any. A redirect's URL carries a signature, so that no failure contains a URL.
 */
export async function openAssetOverHttp(
  request: AssetRequest,
  signal: AbortSignal,
): Promise<AssetStream> {
  const overdue = new AbortController()
  const timer = setTimeout(() => overdue.abort(), request.timeoutMs ?? HEADERS_TIMEOUT_MS)
  try {
    return await follow(request, AbortSignal.any([signal, overdue.signal]))
  } catch {
    return err({ kind: overdue.signal.aborted ? 'git_host_timeout' : 'git_host_unreachable' })
  } finally {
    clearTimeout(timer)
  }
}

async function follow(request: AssetRequest, signal: AbortSignal): Promise<AssetStream> {
  let { url } = request
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const isOwn = url.origin === request.url.origin
    const response = await fetch(url, {
      redirect: 'manual',
      decompress: false,
      signal,
      headers: {
        accept: 'application/octet-stream',
        'accept-encoding': 'identity',
        ...(isOwn && request.headers),
      },
      ...(vouches(request.url, url) &&
        request.authority !== undefined && { tls: { ca: request.authority } }),
    })
    const { body } = response
    if (response.status === 200 && body !== null) return ok(body)
    await body?.cancel()
    if (!REDIRECTS.includes(response.status)) return err(failureOf(response))
    const next = redirectTarget(request, url, response.headers.get('location'))
    if (!next.ok) return next
    url = next.value
  }
  return err({ kind: 'git_host_error', reason: 'too many redirects' })
}

/** A host's storage is often below its own name, such as `media.`, with a certificate of the same authority. */
const vouches = (own: URL, { origin, hostname }: URL): boolean =>
  origin === own.origin || hostname.endsWith(`.${own.hostname}`)

function redirectTarget(
  { url: first, mayLeadTo }: AssetRequest,
  from: URL,
  location: string | null,
): Result<URL, GitFailure> {
  const refused = (reason: string) => err({ kind: 'git_host_error', reason } as const)
  const to = location === null ? null : URL.parse(location, from.href)
  if (to === null) return refused('a redirect without a target')
  if (to.username !== '' || to.password !== '') return refused('a redirect with credentials')
  if (to.origin === first.origin) return ok(to)
  const isHere = isLoopback(first.hostname) && isLoopback(to.hostname)
  if (to.protocol !== 'https:' && !(isHere && to.protocol === first.protocol)) {
    return refused('a redirect to a URL without TLS')
  }
  return mayLeadTo(to) ? ok(to) : refused('a redirect to an origin that is not allowed')
}

function failureOf({ status, headers }: Response): GitFailure {
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'asset' }
  if (status === 429 || (status === 403 && headers.has('retry-after'))) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    const isSeconds = Number.isInteger(seconds) && seconds > 0
    return {
      kind: 'git_rate_limited',
      retryAfterSeconds: isSeconds
        ? Math.min(seconds, RETRY_AFTER_MAX_SECONDS)
        : RETRY_AFTER_SECONDS,
    }
  }
  if (status === 401) return CREDENTIALS_REFUSED
  if (status === 403) return { kind: 'git_denied', what: 'the asset' }
  if (isUnavailable(status)) return { kind: 'git_host_unreachable' }
  return { kind: 'git_host_error', reason: `the asset was answered with ${status}` }
}
