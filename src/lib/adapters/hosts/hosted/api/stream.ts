import {
  faultOf,
  type OutboundRequest,
  type RawAnswer,
  trusting,
} from '../../../../outbound/exchange.ts'
import { readBody } from '../../../../outbound/read-body.ts'
import { MOVED, redirectTarget } from '../../../../outbound/redirect.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { type ExchangeFault, hostFault, unusable } from './exchange.ts'
import { mayBeStorage } from './storage-url.ts'

const REDIRECTS_MAX = 5
const ERROR_BODY_MAX_BYTES = 64 * 1024

export interface StreamLimits {
  /** For the whole body. */
  readonly totalMs: number
  /** Between two chunks. */
  readonly stallMs: number
}

/** An answer whose body is still to come. */
export interface OpenAnswer extends RawAnswer {
  /** `null` unless the status is 2xx. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

type StreamRequest = Pick<OutboundRequest, 'url' | 'headers' | 'signal'>
type Opening = Promise<Result<OpenAnswer, ExchangeFault>>

/**
 * Opens a body as the host sends it, not decompressed. Redirects are followed by hand: to another origin without the headers of the
 * request, which are credentials, and only to what may be storage of the host. A redirect's URL carries a signature, so that no failure
 * contains a URL.
 */
export async function openStream(
  request: StreamRequest,
  authority: string | null,
  /** `null`: the reader bounds the body. */
  limits: StreamLimits | null,
): Opening {
  const api = new URL(request.url)
  let url = api
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const opened = await openOnce(request, url, authority, limits)
    if (!opened.ok || !MOVED.has(opened.value.status)) return opened
    const next = redirectTarget(url.href, opened.value.headers.get('location'))
    if (!next.ok) return err(unusable(next.error))
    if (!mayLeadTo(api, next.value)) return refused('a redirect to a host that cannot be storage')
    url = next.value
  }
  return refused('too many redirects')
}

const refused = (reason: string) => err(unusable({ kind: 'broken', reason, isPassing: false }))

const mayLeadTo = (api: URL, to: URL): boolean => to.origin === api.origin || mayBeStorage(api, to)

async function openOnce(
  { url: api, headers, signal }: StreamRequest,
  url: URL,
  authority: string | null,
  limits: StreamLimits | null,
): Opening {
  const isOwn = url.origin === new URL(api).origin
  try {
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...(isOwn && headers) },
      redirect: 'manual',
      decompress: false,
      signal,
      ...trusting(isSameSite(new URL(api), url) ? authority : null),
    })
    const { status, body } = response
    if (response.ok && body !== null) {
      const bytes = Buffer.alloc(0)
      const bounded = limits === null ? body : withLimits(body, limits)
      return ok({ status, headers: response.headers, bytes, body: bounded })
    }
    const bytes = await readBody(body, ERROR_BODY_MAX_BYTES)
    return ok({ status, headers: response.headers, bytes: bytes ?? Buffer.alloc(0), body: null })
  } catch (error) {
    return err(hostFault(faultOf(error, false), url.href))
  }
}

/** A host's storage is often below its own name, such as `codeload.` and `media.`, with a certificate of the same authority. */
const isSameSite = (api: URL, to: URL): boolean =>
  to.hostname === api.hostname || to.hostname.endsWith(`.${api.hostname}`)

/** The same body, which fails when it stalls, takes too long or is cut off. The error says no URL. */
function withLimits(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { totalMs, stallMs }: StreamLimits,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  const endsAt = performance.now() + totalMs
  const stop = async (reason: unknown) => {
    try {
      await reader.cancel(reason)
    } catch {}
  }
  return new ReadableStream({
    async pull(controller) {
      const late = Promise.withResolvers<'late'>()
      const waitMs = Math.max(0, Math.min(stallMs, endsAt - performance.now()))
      const timer = setTimeout(() => late.resolve('late'), waitMs)
      try {
        const part = await Promise.race([reader.read(), late.promise])
        if (part === 'late') throw new Error('late')
        if (part.done) controller.close()
        else controller.enqueue(part.value)
      } catch {
        controller.error(new Error('the body was cut off or took too long'))
        void stop('cut off')
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: stop,
  })
}
