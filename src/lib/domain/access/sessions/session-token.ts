import { createHash, randomBytes } from 'node:crypto'

const TOKEN = /^[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32

/** An opaque session token: 256 random bits in base64url. */
export const newSessionToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const isSessionToken = (text: string): boolean => TOKEN.test(text)

/** Key of a session row: SHA-256 of the token. A 256-bit random token needs no salt and no slow hash. */
export const hashOfToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex')
