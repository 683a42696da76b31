import { isNotModified } from './negotiation.ts'

/**
 * JSON that clients may keep and ask for again: 304 if they have it. The tag is a digest of the answer, so that people with
 * different answers have different tags.
 */
export function taggedJson(
  request: Request,
  value: unknown,
  given: Headers | Readonly<Record<string, string>> = {},
): Response {
  const body = JSON.stringify(value)
  const etag = `"${Bun.CryptoHasher.hash('sha256', body, 'hex').slice(0, TAG_LENGTH)}"`
  const headers = new Headers(given)
  headers.set('content-type', 'application/json')
  headers.set('cache-control', 'private, no-cache')
  headers.set('etag', etag)
  return isNotModified(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers })
}

/** Hexadecimal digits, of 4 bits each. */
const TAG_LENGTH = 32
