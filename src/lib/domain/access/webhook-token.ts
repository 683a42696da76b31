import { Buffer } from 'node:buffer'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export interface BearerCheck {
  /** Whether an `Authorization` header carries one of the tokens. */
  verifyBearer(header: string | null): boolean
  /** Begins to check an `X-Hub-Signature-256` header. Undefined when no body could match it. */
  verifySignature(header: string | null): SignatureCheck | undefined
}

/** Takes the raw body in parts, so that a large one is never held. */
export interface SignatureCheck {
  update(part: Uint8Array): void
  /** Whether the header is the HMAC-SHA-256 of all parts under one of the tokens. To be asked once, at the end. */
  matches(): boolean
}

const TOKEN_LENGTH_MIN = 16
const BEARER = /^Bearer +([\x21-\x7e]+)$/i
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Tokens shorter than 16 characters are ignored, so an unset variable lets nobody in. Every token is compared, each in
 * constant time: over hashes, because `timingSafeEqual` throws on unequal lengths.
 */
export function createBearerCheck(tokens: readonly string[]): BearerCheck {
  const accepted = tokens
    .filter((token) => token.length >= TOKEN_LENGTH_MIN)
    .map((token) => ({ token, hash: digest(token) }))

  return {
    verifyBearer(header) {
      const presented = BEARER.exec(header ?? '')?.[1]
      if (presented === undefined) return false
      const hash = digest(presented)
      return accepted.map((known) => timingSafeEqual(known.hash, hash)).includes(true)
    },

    verifySignature(header) {
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
