import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SignInTransaction } from '../../../ports/identity.ts'
import { cookiesIn, setCookie } from '../cookies.ts'
import { type PendingGrant, PendingGrantSchema } from '../grants/consent.ts'
import { createSealedTexts } from '../sealed-text.ts'

/** A sign-in that this browser began. */
export interface PendingSignIn {
  readonly transaction: SignInTransaction
  readonly returnTo: string
  /** The grant that the person has agreed to, for a sign-in that makes one. */
  readonly pendingGrant?: PendingGrant
  readonly expiresAt: number
}

const PREFIX = 'portal_login_'
const NAME_STATE_CHARACTERS = 8
const STATE = /^[A-Za-z0-9_-]{16,256}$/
const LIFETIME_SECONDS = 10 * 60
/** Sign-ins that a browser may have under way, in as many tabs. */
const PER_BROWSER = 8
/** A server refuses a request with more than 16 KiB of headers. */
const PER_BROWSER_BYTES = 8 * 1024

const Content = lazily(() =>
  Compile(
    Type.Object({
      nonce: Type.String(),
      codeVerifier: Type.String(),
      returnTo: Type.String(),
      pendingGrant: Type.Optional(PendingGrantSchema),
      expiresAt: Type.Number(),
    }),
  ),
)

export type TransactionCookies = ReturnType<typeof createTransactionCookies>

/** Cookies that hold sign-ins under way, one per tab, sealed for their state. */
export function createTransactionCookies(keyring: Keyring, clock: Clock, secure: boolean) {
  const texts = createSealedTexts(keyring, clock, (value) => Content().Check(value))
  const cookie = (name: string, value: string, maxAgeSeconds: number) =>
    setCookie(name, value, { path: '/api/v1/auth', maxAgeSeconds, secure })
  const clearedCookie = (name: string) => cookie(name, '', 0)
  return {
    /** `Set-Cookie` values that bind a sign-in to the browser; its oldest ones go when it has too many. */
    bind(
      { transaction: { state, ...secrets }, ...purpose }: Omit<PendingSignIn, 'expiresAt'>,
      header: string | null,
    ): readonly string[] {
      if (!STATE.test(state)) throw new Error('the state of a sign-in must fit into a cookie name')
      const expiresAt = clock.now() + LIFETIME_SECONDS * 1000
      const value = texts.seal(contextOf(state), { ...secrets, ...purpose, expiresAt })
      const name = nameOf(state)
      return [
        cookie(name, value, LIFETIME_SECONDS),
        ...surplus(header ?? '', name, value).map(clearedCookie),
      ]
    },

    /** The sign-in of a callback's state; `undefined` unless this browser began it less than ten minutes ago. */
    find(state: string, header: string | null): PendingSignIn | undefined {
      if (!STATE.test(state)) return undefined
      const values = new Set(
        cookiesIn(header ?? '').flatMap(([name, value]) => (name === nameOf(state) ? [value] : [])),
      )
      const [value] = values
      // Two different values: a sibling sub-domain may have planted either.
      if (value === undefined || values.size > 1) return undefined
      const found = texts.open(contextOf(state), value)
      if (found === undefined) return undefined
      const { nonce, codeVerifier, ...purpose } = found
      return { transaction: { state, nonce, codeVerifier }, ...purpose }
    },

    /** The `Set-Cookie` value that removes the cookie of a state. */
    cleared: (state: string): string => clearedCookie(nameOf(state)),
  }
}

const nameOf = (state: string): string => `${PREFIX}${state.slice(0, NAME_STATE_CHARACTERS)}`
const contextOf = (state: string): string => `sign-in/${state}`

/** The names of the oldest cookies that do not fit beside a new one. */
function surplus(header: string, name: string, value: string): readonly string[] {
  const older = new Map(cookiesIn(header).filter(([other]) => other.startsWith(PREFIX)))
  older.delete(name)
  let count = 1
  let bytes = name.length + value.length
  return [...older].toReversed().flatMap(([other, held]) => {
    count += 1
    bytes += other.length + held.length
    return count > PER_BROWSER || bytes > PER_BROWSER_BYTES ? [other] : []
  })
}
