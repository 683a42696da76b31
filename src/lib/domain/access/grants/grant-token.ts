import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { GrantTokenRow } from '../../../ports/database/grant-tokens.ts'
import { hashOfToken } from '../sessions/session-token.ts'

/** First characters of each kind, for people and for secret scanners. */
const PREFIXES = { access: 'prt_', refresh: 'prr_', code: 'prc_' } as const

export type GrantTokenKind = GrantTokenRow['kind']

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_BYTES = 32
/** 62^43 > 2^256. */
const RANDOM_CHARACTERS = 43
/** 62^6 > 2^32. */
const CHECK_CHARACTERS = 6
const TOKEN = /^(pr[trc]_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
/** Characters of a refresh token or code that name its grant: 130 random bits, hashed into the id of the grant. */
const FAMILY_CHARACTERS = 22

function base62(value: bigint, characters: number): string {
  let text = ''
  for (let rest = value; text.length < characters; rest /= 62n) {
    text = `${DIGITS[Number(rest % 62n)]}${text}`
  }
  return text
}

const randomCharacters = (characters: number): string =>
  base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_CHARACTERS).slice(
    -characters,
  )

const checkOf = (text: string): string => base62(BigInt(crc32(text)), CHECK_CHARACTERS)

/** The secret of a new grant, which all its refresh tokens and codes begin with. */
export const newFamily = (): string => randomCharacters(FAMILY_CHARACTERS)

/** The id of the grant, which gives no token away. */
export const grantIdOf = (family: string): string => hashOfToken(`grant/${family}`)

/** Random characters and their CRC32, by which scanners tell a token from other text. */
export function newGrantToken(kind: GrantTokenKind, family = ''): string {
  const prefix = PREFIXES[kind]
  const random = `${family}${randomCharacters(RANDOM_CHARACTERS - family.length)}`
  return `${prefix}${random}${checkOf(`${prefix}${random}`)}`
}

/** Whether the text is a well-formed token of this kind. */
export function isGrantToken(kind: GrantTokenKind, text: string): boolean {
  const [, prefix = '', random = '', check] = TOKEN.exec(text) ?? []
  return prefix === PREFIXES[kind] && check === checkOf(`${prefix}${random}`)
}

/** The grant of a refresh token or code that may be used up: its row is gone, and the grant is there. */
export const grantIdIn = (token: string): string => grantIdOf(familyIn(token))

/** The secret that the tokens of a grant begin with, of a well-formed refresh token or code. */
export const familyIn = (token: string): string =>
  token.slice(PREFIXES.refresh.length, PREFIXES.refresh.length + FAMILY_CHARACTERS)
