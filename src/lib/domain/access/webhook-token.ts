import { Buffer } from 'node:buffer'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Takes the raw body in parts, so that a large body is never held. */
export interface SignatureCheck {
  update(part: Uint8Array): void
  /** Whether the header is the HMAC-SHA-256 of all parts under one of the tokens. Call once, after the last part. */
  matches(): boolean
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

const digest = (text: string) => createHash('sha256').update(text).digest()

export type WebhookTokens = ReturnType<typeof createWebhookTokens>

/**
 * Tokens that authenticate calls of the webhook. Without tokens every call is refused. Compares every token in constant time, as hashes:
 * `timingSafeEqual` throws on unequal lengths.
 */
export function createWebhookTokens(tokens: readonly string[]) {
  const accepted = tokens.map((token) => ({ token, hash: digest(token) }))

  const isAccepted = (presented: string | null | undefined): boolean => {
    if (presented === undefined || presented === null) return false
    const hash = digest(presented)
    return accepted.map((known) => timingSafeEqual(known.hash, hash)).includes(true)
  }

  return {
    /** Whether an `Authorization` header carries one of the tokens. */
    verifyBearer: (header: string | null): boolean => isAccepted(BEARER.exec(header ?? '')?.[1]),
    /** Whether an `X-Gitlab-Token` header is one of the tokens: GitLab sends its secret as it is. */
    verifyToken: (header: string | null): boolean => isAccepted(header),

    /** Starts the check of an `X-Hub-Signature-256` header; `undefined` when no body can match it. */
    verifySignature(header: string | null): SignatureCheck | undefined {
      const presented = SIGNATURE.exec(header ?? '')?.[1]
      if (presented === undefined || accepted.length === 0) return undefined
      const signature = Buffer.from(presented, 'hex')
      const macs = accepted.map(({ token }) => createHmac('sha256', token))
      return {
        update: (part) => {
          for (const mac of macs) mac.update(part)
        },
        matches: () => macs.map((mac) => timingSafeEqual(mac.digest(), signature)).includes(true),
      }
    },
  }
}
