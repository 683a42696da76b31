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

/** An answer whose body is still to come. */
export interface OpenAnswer extends RawAnswer {
  /** `null` unless the status is 2xx. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

type StreamRequest = Pick<OutboundRequest, 'url' | 'headers' | 'signal'>
type Opening = Promise<Result<OpenAnswer, ExchangeFault>>

/**
 * Opens a body as the host sends it, not decompressed. Its reader bounds it. Redirects are followed by hand: to another origin without the headers of the
 * request, which are credentials, and only to what may be storage of the host. A redirect's URL carries a signature, so that no failure
 * contains a URL.
 */
export async function openStream(request: StreamRequest, authority: string | null): Opening {
  const api = new URL(request.url)
  let url = api
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const opened = await openOnce(request, url, authority)
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
      return ok({ status, headers: response.headers, bytes, body })
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
