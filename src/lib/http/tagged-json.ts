import { isNotModified } from './negotiation.ts'

type GivenHeaders = Headers | Readonly<Record<string, string>>

/**
 * JSON that clients may keep and ask for again: 304 if they have it. The tag is a digest of the answer, so that people with
 * different answers have different tags.
 */
export function taggedJson(request: Request, value: unknown, headers: GivenHeaders = {}): Response {
  const body = JSON.stringify(value)
  return taggedBody(request, body, createDigest().update(body), headers)
}

/** The same for a body that was rendered in pieces, with the digest of all of them. */
export function taggedBody(
  request: Request,
  body: string | ArrayBuffer | Uint8Array<ArrayBuffer>,
  digest: Bun.CryptoHasher,
  given: GivenHeaders,
): Response {
  const etag = `"${digest.digest('hex').slice(0, TAG_LENGTH)}"`
  const headers = new Headers(given)
  headers.set('content-type', 'application/json')
  headers.set('cache-control', 'private, no-cache')
  headers.set('etag', etag)
  return isNotModified(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers })
}

export const createDigest = (): Bun.CryptoHasher => new Bun.CryptoHasher('sha256')

/** Hexadecimal digits, of 4 bits each. */
export const TAG_LENGTH = 32
