import { readBody } from '../../../outbound/read-body.ts'
import { UnusableAnswer } from './unusable-answer.ts'

const BODY_MAX_BYTES = 1024 * 1024

/**
 * `fetch` for an identity provider, whose documents say where to send secrets: only over TLS or to the issuer's own origin, and
 * without redirects. Reads the whole body, so that a truncated body is a broken connection, not broken JSON.
 */
export async function limitedFetch(
  issuer: URL,
  url: string,
  init: BunFetchRequestInit,
): Promise<Response> {
  const { protocol, origin } = new URL(url)
  if (protocol !== 'https:' && origin !== issuer.origin) throw new UnusableAnswer('insecure_url')
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { status, headers } = response
  const bytes = await readBody(response.body, BODY_MAX_BYTES)
  if (bytes === null) throw new UnusableAnswer('too_many_bytes')
  return new Response(bytes, { status, headers })
}
