import { createFair } from '../../../concurrency/fair.ts'
import { readBody } from '../../../outbound/read-body.ts'
import { UnusableAnswer } from './failure.ts'

/** A megabyte of nested JSON takes the parser 60 ms, in which nobody else is answered. */
const BODY_MAX_BYTES = 512 * 1024

/** Requests to the provider at a time. */
const { inTurn } = createFair({ queue: 'identity', permits: 16, isElsewhere: true })

export type LimitedFetch = (url: string, init: BunFetchRequestInit) => Promise<Response>

/** Secrets and people are sent over TLS, or to the issuer's own origin. */
export function checkUrl({ protocol, origin }: URL, issuer: URL): void {
  if (protocol !== 'https:' && origin !== issuer.origin) throw new UnusableAnswer('insecure_url')
}

/**
 * `fetch` for an identity provider, whose documents say where to send secrets: only over TLS or to the issuer's own origin, and without
 * redirects. `authorities`: those of the provider, which replace the public ones; `null` for these. Reads the whole body, so that a
 * truncated body is a broken connection, not broken JSON.
 */
export const createLimitedFetch =
  (issuer: URL, authorities: () => string | null): LimitedFetch =>
  async (url, init) => {
    checkUrl(new URL(url), issuer)
    return inTurn(async () => {
      const ca = authorities()
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        tls: { rejectUnauthorized: true, ...(ca !== null && { ca }) },
      })
      const { status, headers } = response
      const bytes = await readBody(response.body, BODY_MAX_BYTES)
      if (bytes === null) throw new UnusableAnswer('too_many_bytes')
      return new Response(bytes, { status, headers })
    }, init.signal ?? undefined)
  }
