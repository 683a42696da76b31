import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'

/** Until the bytes begin, redirects included. How long they take is the reader's business. */
const HEADERS_TIMEOUT_MS = 15_000
const REDIRECTS_MAX = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const RETRY_AFTER_SECONDS = 60

export interface AssetRequest {
  readonly url: URL
  /** Credentials, and whatever else the host wants to see. They go to its own origin and nowhere else. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the host may send us there, besides to itself: where it keeps its files, and never to our own network. */
  readonly mayLeadTo: (url: URL) => boolean
  /** Certificate authority of the host's own origin, PEM. Without it, and elsewhere, those that the system trusts. */
  readonly authority?: string
  readonly timeoutMs?: number
}

type Opened = Result<ReadableStream<Uint8Array>, GitFailure>

/**
 * The bytes of a release asset, as they are. Git hosts answer with them or with a redirect to where they are kept; that is
 * followed by hand, because fetch would take custom headers along to another host and ask nobody whether to go there. Where
 * files are kept is known by a signature in the URL, so that no URL is part of a failure.
 */
export async function openAssetOverHttp(
  request: AssetRequest,
  signal: AbortSignal,
): Promise<Opened> {
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

async function follow(request: AssetRequest, signal: AbortSignal): Promise<Opened> {
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
      ...(isOwn && request.authority !== undefined && { tls: { ca: request.authority } }),
    })
    const { body } = response
    if (response.status === 200 && body !== null) return ok(body)
    await body?.cancel()
    if (!REDIRECTS.includes(response.status)) return err(failureOf(response))
    const next = whereTo(request, url, response.headers.get('location'))
    if (!next.ok) return next
    url = next.value
  }
  return err({ kind: 'git_host_error', reason: 'too many redirects' })
}

function whereTo(
  { url: first, mayLeadTo }: AssetRequest,
  from: URL,
  location: string | null,
): Result<URL, GitFailure> {
  const refused = (reason: string) => err({ kind: 'git_host_error', reason } as const)
  const to = location === null ? null : URL.parse(location, from.href)
  if (to === null) return refused('a redirect to nowhere')
  if (to.username !== '' || to.password !== '') return refused('a redirect with credentials')
  if (to.origin === first.origin) return ok(to)
  if (to.protocol !== 'https:') return refused('a redirect to a place without TLS')
  return mayLeadTo(to) ? ok(to) : refused('a redirect to a place where none may lead')
}

function failureOf({ status, headers }: Response): GitFailure {
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'asset' }
  if (status === 429 || (status === 403 && headers.has('retry-after'))) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    const isSeconds = Number.isInteger(seconds) && seconds > 0
    return {
      kind: 'git_rate_limited',
      retryAfterSeconds: isSeconds ? seconds : RETRY_AFTER_SECONDS,
    }
  }
  if (status === 401 || status === 403) return { kind: 'git_denied', what: 'the asset' }
  return { kind: 'git_host_error', reason: `the asset was answered with ${status}` }
}
