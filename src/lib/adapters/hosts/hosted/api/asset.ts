import { isIP } from 'node:net'
import { withinDeadline } from '../../../../outbound/deadline.ts'
import {
  faultOf,
  type OutboundRequest,
  type RawAnswer,
  trusting,
} from '../../../../outbound/exchange.ts'
import { readBody } from '../../../../outbound/read-body.ts'
import type { GitAnswer, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { isLoopback } from '../../../../text/ip-address.ts'
import type { Credentials } from './credentials.ts'
import { type ExchangeFault, following, hostFault } from './exchange.ts'
import { CREDENTIALS_REFUSED, failureOfStatus, isUnavailable } from './outage.ts'
import { rateLimited, UNSTATED_MS } from './rate-gate.ts'
import { refusalByLimit } from './rate-limit.ts'

/** Until the body begins, redirects included. The reader bounds the body itself. */
const HEADERS_TIMEOUT_MS = 15_000
const ERROR_BODY_MAX_BYTES = 64 * 1024

export interface AssetRequest {
  readonly url: URL
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>
  /** Certificate authority of the origin of `url` and of hosts below its name, PEM. `null`, and for others: the system's. */
  readonly authority: string | null
  readonly timeoutMs?: number
}

/** The bytes of a release asset for whoever has credentials; once more with newer ones when they are refused. */
export async function openAssetWith(
  credentials: Credentials,
  request: AssetRequest,
  signal: AbortSignal,
): GitAnswer<ReadableStream<Uint8Array>> {
  for (let isRenewed = false; ; isRenewed = true) {
    const authorization = await credentials.current(signal)
    if (!authorization.ok) return authorization
    const { value } = authorization
    const sent = { ...request, headers: { ...request.headers, authorization: value } }
    const opened = await openAssetOverHttp(sent, signal)
    const isRefused = !opened.ok && opened.error === CREDENTIALS_REFUSED
    if (!isRefused || isRenewed || !credentials.refused(value)) return opened
  }
}

/**
 * The bytes of a release asset, not decompressed. Redirects to another origin get no headers of the request, which are credentials, and lead
 * only to what may be storage of the host.
 */
export async function openAssetOverHttp(
  { url, headers, authority, timeoutMs = HEADERS_TIMEOUT_MS }: AssetRequest,
  signal: AbortSignal,
): GitAnswer<ReadableStream<Uint8Array>> {
  const refusalOf = (to: URL) =>
    to.origin === url.origin || mayBeStorage(url, to)
      ? null
      : 'a redirect to a host that cannot be storage'
  const opened = await withinDeadline(timeoutMs, (late) =>
    following(url, refusalOf, (at) => {
      const isOwn = at.origin === url.origin
      const request = {
        headers: isOwn ? { ...headers, accept: 'application/octet-stream' } : {},
        signal: AbortSignal.any([signal, late]),
      }
      return openStream(at, request, isSameSite(url, at) ? authority : null)
    }),
  )
  if (!opened.ok) return err(opened.error.failure)
  const { status, body } = opened.value
  if (status === 200 && body !== null) return ok(body)
  await body?.cancel()
  return err(failureOf(url, opened.value))
}

function failureOf(url: URL, answer: RawAnswer): GitFailure {
  const { status } = answer
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'asset' }
  const limit = refusalByLimit(answer, Date.now())
  if (limit !== null) return rateLimited(limit.statedMs ?? UNSTATED_MS)
  if (status === 401) return CREDENTIALS_REFUSED
  if (status === 403) return { kind: 'git_denied', what: 'the asset' }
  if (isUnavailable(status)) return failureOfStatus(url.href, status)
  return { kind: 'git_host_error', reason: `the asset was answered with ${status}` }
}

/** An answer whose body is still to come; `null` unless the status is 2xx. */
type OpenAnswer = RawAnswer & Pick<Response, 'body'>

/** Opens a body as the host sends it, not decompressed. */
async function openStream(
  url: URL,
  { headers, signal }: Pick<OutboundRequest, 'headers' | 'signal'>,
  authority: string | null,
): Promise<Result<OpenAnswer, ExchangeFault>> {
  try {
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...headers },
      redirect: 'manual',
      decompress: false,
      signal,
      ...trusting(authority),
    })
    const { status, body } = response
    const isOpen = response.ok && body !== null
    const bytes = isOpen ? null : await readBody(body, ERROR_BODY_MAX_BYTES)
    return ok({
      status,
      headers: response.headers,
      bytes: bytes ?? Buffer.alloc(0),
      body: isOpen ? body : null,
    })
  } catch (error) {
    return err(hostFault(faultOf(error, false), url.href))
  }
}

/**
 * Decides whether a URL that a git host at `api` redirects to or names may be its storage: over TLS and at a host with a name, never an
 * address or a service of our own network; beside an `api` on this machine, this machine.
 */
export function mayBeStorage(api: URL, { protocol, hostname }: URL): boolean {
  const isHere = isLoopback(api.hostname) && isLoopback(hostname)
  if (isHere) return protocol === api.protocol || protocol === 'https:'
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return protocol === 'https:' && !isAddress && hostname.includes('.')
}

/** A host's storage is often below its own name, such as `codeload.` and `media.`, with a certificate of the same authority. */
const isSameSite = (api: URL, to: URL): boolean =>
  to.hostname === api.hostname || to.hostname.endsWith(`.${api.hostname}`)
