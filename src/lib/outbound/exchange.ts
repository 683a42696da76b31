import { err, ok, type Result } from '../result.ts'
import { codeOf, CONNECTION_CODES, isBrokenAnswer } from './connection-codes.ts'
import { readBody } from './read-body.ts'

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly url: string
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly maxBytes: number
  /** Its reason is a `TimeoutError` at the deadline. */
  readonly signal: AbortSignal
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer<ArrayBuffer>
}

/** `isPassing`: the same request may succeed a moment later. */
export type OutboundFault =
  | { readonly kind: 'timeout' }
  /** `code` of the failed connection, certificate or proxy. `null`: the request was given up. */
  | { readonly kind: 'unreachable'; readonly code: string | null; readonly isPassing: boolean }
  /** The answer is not whole, or not one of the server. `reason` is a fixed text for the log. */
  | { readonly kind: 'broken'; readonly reason: string; readonly isPassing: boolean }
  | { readonly kind: 'too_large'; readonly maxBytes: number }

/** Options of `fetch` for a server of our own. Certificates are verified whatever `NODE_TLS_REJECT_UNAUTHORIZED` says. */
export const trusting = (authority: string | null) => ({
  tls: { rejectUnauthorized: true, ...(authority !== null && { ca: authority }) },
})

/**
 * One HTTP request and its whole answer, whatever the status, over Bun's `fetch`, which honours HTTPS_PROXY and NO_PROXY. A redirect is
 * an answer: fetch would send custom headers to any other origin, and turn a redirected POST into a GET.
 * `authority`: PEM of the certificate authorities in place of the system's.
 */
export async function exchange(
  { method, url, headers, body, maxBytes, signal }: OutboundRequest,
  authority: string | null,
): Promise<Result<RawAnswer, OutboundFault>> {
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
    if (bytes === null) return err({ kind: 'too_large', maxBytes })
    if (isCutAtStart(response, bytes)) return broken('the answer was cut off', true)
    return ok({ status: response.status, headers: response.headers, bytes })
  } catch (error) {
    return err(faultOf(error, hasHeaders))
  }
}

export type BrokenAnswer = Extract<OutboundFault, { kind: 'broken' }>

/** An answer that is not as documented. */
export const broken = (reason: string, isPassing = false): Result<never, BrokenAnswer> =>
  err({ kind: 'broken', reason, isPassing })

/** A body that neither a length nor chunks delimit ends with the connection, however early. */
const isCutAtStart = ({ status, headers }: Response, { byteLength }: Uint8Array): boolean =>
  status >= 200 &&
  status < 300 &&
  status !== 204 &&
  status !== 205 &&
  byteLength === 0 &&
  !headers.has('content-length') &&
  !headers.has('transfer-encoding')

/** The fault that an error of `fetch` or of a body means. Reads only codes: messages carry URLs. Rethrows bugs. */
export function faultOf(thrown: unknown, hasHeaders: boolean): OutboundFault {
  if (thrown instanceof DOMException) {
    return thrown.name === 'TimeoutError'
      ? { kind: 'timeout' }
      : { kind: 'unreachable', code: null, isPassing: false }
  }
  const code = codeOf(thrown)
  if (code === null) throw thrown
  if (hasHeaders || isBrokenAnswer(code)) {
    return { kind: 'broken', reason: 'the answer was cut off', isPassing: true }
  }
  // Other codes are those of refused certificates and of proxies.
  return { kind: 'unreachable', code, isPassing: CONNECTION_CODES.has(code) }
}
