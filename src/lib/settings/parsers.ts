import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { type Keyring, parseKeys } from '../crypto/keyring.ts'
import { parseRepositoryId } from '../names.ts'
import { parseNetwork } from '../text/ip-address.ts'
import { parseIssuer } from '../text/issuer-url.ts'
import { err, ok, type Result } from '../result.ts'

/** Parsers of settings. A failure is a phrase that says what the text must be, and never repeats the text. */

export const text = (pattern: RegExp, expected: string) => (input: string) =>
  pattern.test(input) ? ok(input) : err(`must be ${expected}`)

export const integer = (minimum: number, maximum: number) => (input: string) => {
  const value = /^\d{1,9}$/.test(input) ? Number(input) : Number.NaN
  return value >= minimum && value <= maximum
    ? ok(value)
    : err(`must be a whole number from ${minimum} to ${maximum}`)
}

export const oneOf =
  <const Choice extends string>(...choices: readonly Choice[]) =>
  (input: string): Result<Choice, string> => {
    const choice = choices.find((candidate) => candidate === input)
    return choice === undefined ? err(`must be one of ${choices.join(', ')}`) : ok(choice)
  }

/** Reads a name as the entry of a table. */
export const entryOf =
  <Entry>(table: Readonly<Record<string, Entry>>) =>
  (input: string): Result<Entry, string> => {
    const entry = Object.hasOwn(table, input) ? table[input] : undefined
    return entry === undefined ? err(`must be one of ${Object.keys(table).join(', ')}`) : ok(entry)
  }

export const flag = (input: string): Result<boolean, string> =>
  input === 'true' || input === 'false' ? ok(input === 'true') : err('must be true or false')

export const list =
  <Item>(parse: (item: string) => Result<Item, string>) =>
  (input: string): Result<readonly Item[], string> => {
    const items: Item[] = []
    for (const item of input
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)) {
      const parsed = parse(item)
      if (!parsed.ok) return parsed
      items.push(parsed.value)
    }
    return ok(items)
  }

/** Reads an empty text as `null`. */
export const optional =
  <Value>(parse: (input: string) => Result<Value, string>) =>
  (input: string): Result<Value | null, string> =>
    input === '' ? ok(null) : parse(input)

export const parsedBy =
  <Value>(parse: (input: string) => Value | undefined, expected: string) =>
  (input: string): Result<Value, string> => {
    const value = parse(input)
    return value === undefined ? err(`must be ${expected}`) : ok(value)
  }

export const repository = parsedBy(parseRepositoryId, 'owner/name')

export function origin(input: string): Result<URL, string> {
  const url = URL.parse(input)
  const isOrigin =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.href === `${url.origin}/`
  return isOrigin ? ok(url) : err('must be an http or https URL without a path')
}

export const keys = (input: string): Result<Keyring, string> => {
  const keyring = parseKeys(input)
  return keyring.ok
    ? keyring
    : err(`must be a comma-separated list of id:base64 of 32 random bytes; ${keyring.error.reason}`)
}

export const optionalKeys = optional(keys)

export const issuer = parsedBy(parseIssuer, 'an https URL, the `issuer` of the discovery document')

/** Claim names separated by dots. A name that contains a dot or a slash, such as a URL, is put in double quotes. */
export function claimPath(input: string): Result<readonly string[], string> {
  const path = /^(?:"[^"]{1,256}"|[\w:@$-]{1,256})(?:\.(?:"[^"]{1,256}"|[\w:@$-]{1,256})){0,7}$/
  if (!path.test(input)) return err('must be claim names separated by dots, URLs in double quotes')
  return ok([...input.matchAll(/"([^"]+)"|[^.]+/g)].map(([name, quoted]) => quoted ?? name))
}

export const address = (input: string): Result<string, string> =>
  input === 'localhost' || isIP(input) !== 0 ? ok(input) : err('must be an IP address or localhost')

export const network = parsedBy(
  parseNetwork,
  'IP addresses and networks such as 10.0.0.0/8, but not a network of all addresses',
)

export const absolutePath = (input: string): Result<string, string> =>
  isAbsolute(input) ? ok(input) : err('must be an absolute path')
