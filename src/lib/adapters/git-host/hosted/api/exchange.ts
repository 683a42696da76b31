import { CONNECTION_CODES } from '../../../../outbound/connection-codes.ts'
import { readBody } from '../../../../outbound/read-body.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { hostError, type WriteMethod, type Answer } from './client.ts'
import { MOVED, redirectTarget } from './redirect.ts'
import { parseJson } from '../../../../text/json.ts'
import { decodeUtf8 } from '../../../../text/utf8.ts'

const REDIRECTS_MAX = 5

export interface OutboundRequest {
  readonly method: 'GET' | WriteMethod
  readonly url: string
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly maxBytes: number
  readonly followsRedirects: boolean
  /** Its reason is a `TimeoutError` at the deadline. */
  readonly signal: AbortSignal
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer<ArrayBuffer>
}

export interface ExchangeFault {
  readonly failure: GitFailure
  /** The same request may succeed a moment later. */
  readonly isPassing: boolean
  /** Code of the failed connection, or status of a host that is unavailable, for the log. */
  readonly code?: string
}

/** One HTTP request and its whole answer, whatever the status. */
export type Exchange = (request: OutboundRequest) => Promise<Result<RawAnswer, ExchangeFault>>

/** Options of `fetch` for the API's own origin. Certificates are verified whatever `NODE_TLS_REJECT_UNAUTHORIZED` says. */
export const trusting = (authority: string | null) => ({
  tls: { rejectUnauthorized: true, ...(authority !== null && { ca: authority }) },
})

/**
 * Exchanges over Bun's `fetch`, which honours HTTPS_PROXY and NO_PROXY. Redirects are followed by hand and within the origin of the
 * request: fetch would send custom headers to any other, and turn a redirected POST into a GET.
 * `authority`: PEM of the certificate authorities in place of the system's.
 */
export const createExchange =
  (authority: string | null): Exchange =>
  async (request) => {
    let { url } = request
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const answer = await exchangeOnce(request, url, authority)
      if (!answer.ok || !request.followsRedirects || !MOVED.has(answer.value.status)) return answer
      const next = redirectTarget(url, answer.value.headers.get('location'))
      if (!next.ok) return fault(next.error)
      if (next.value.origin !== new URL(url).origin) return broken('a redirect to another origin')
      url = next.value.href
    }
    return broken('too many redirects')
  }

const fault = (failure: GitFailure, isPassing = false) => err({ failure, isPassing } as const)
/** An answer that is not as documented. */
export const broken = (reason: string, isPassing = false) =>
  fault(hostError(reason).error, isPassing)

/** The failure for a body that was not read to its end. */
export const tooLarge = (maxBytes: number) =>
  hostError(`an answer of more than ${maxBytes} bytes`).error

async function exchangeOnce(
  { method, headers, body, maxBytes, signal }: OutboundRequest,
  url: string,
  authority: string | null,
): Promise<Result<RawAnswer, ExchangeFault>> {
  let hasHeaders = false
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal,
      ...trusting(authority),
    })
    hasHeaders = true
    const bytes = await readBody(response.body, maxBytes)
    if (bytes === null) return fault(tooLarge(maxBytes))
    if (isCutAtStart(response, bytes)) return broken('the answer was cut off', true)
    return ok({ status: response.status, headers: response.headers, bytes })
  } catch (error) {
    return faultOf(error, hasHeaders)
  }
}

/** A body that neither a length nor chunks delimit ends with the connection, however early. */
const isCutAtStart = ({ status, headers }: Response, { byteLength }: Uint8Array): boolean =>
  status >= 200 &&
  status < 300 &&
  status !== 204 &&
  status !== 205 &&
  byteLength === 0 &&
  !headers.has('content-length') &&
  !headers.has('transfer-encoding')

/** Codes of Bun for an answer that is not HTTP or whose encoding is corrupt or cut. */
const BROKEN =
  /^(?:Zlib|Brotli|Zstd|Malformed_HTTP_Response$|InvalidHTTPResponse$|InvalidContentLength$)/

/** The fault that an error of `fetch` or of a body means. Reads only codes: messages carry URLs. Rethrows bugs. */
export function faultOf(thrown: unknown, hasHeaders: boolean) {
  if (thrown instanceof DOMException) {
    return fault({
      kind: thrown.name === 'TimeoutError' ? 'git_host_timeout' : 'git_host_unreachable',
    })
  }
  const code = codeOf(thrown)
  if (code === null) throw thrown
  if (hasHeaders || BROKEN.test(code)) return broken('the answer was cut off', true)
  // Other codes are those of refused certificates and of proxies.
  const isPassing = CONNECTION_CODES.has(code)
  return err({ failure: { kind: 'git_host_unreachable' }, isPassing, code } as const)
}

const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : null

/**
 * An answer with its JSON. Half a JSON is a cut-off body: bodies without a length end with their connection. A page is the answer of a
 * proxy, whatever its status; a refusal in plain text is one of the host.
 */
export function jsonAnswer({ status, headers, bytes }: RawAnswer): Result<Answer, ExchangeFault> {
  if (bytes.byteLength === 0) return ok({ status, headers, json: undefined })
  if (/\bhtml\b/i.test(headers.get('content-type') ?? '')) {
    return broken(`answered with ${status} and a page`)
  }
  const json = parseJson(decodeUtf8(bytes) ?? '')
  const isSuccess = status >= 200 && status < 300
  if (json === undefined && isSuccess) return broken('an answer that is no whole JSON', true)
  return ok({ status, headers, json })
}
