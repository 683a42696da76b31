import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { type Keyring, parseKeys } from '../crypto/keyring.ts'
import { parseRepositoryId } from '../names.ts'
import { err, ok, type Result } from '../result.ts'

/** Parsers of settings. A failure is a phrase that says what the text must be, and never repeats the text. */

export const text = (pattern: RegExp, expected: string) => (given: string) =>
  pattern.test(given) ? ok(given) : err(`must be ${expected}`)

export const integer = (minimum: number, maximum: number) => (given: string) => {
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  return value >= minimum && value <= maximum
    ? ok(value)
    : err(`must be a whole number from ${minimum} to ${maximum}`)
}

export const oneOf =
  <const Choice extends string>(...choices: readonly Choice[]) =>
  (given: string): Result<Choice, string> => {
    const choice = choices.find((candidate) => candidate === given)
    return choice === undefined ? err(`must be one of ${choices.join(', ')}`) : ok(choice)
  }

/** Reads a name as the entry of a table. */
export const entryOf =
  <Entry>(table: Readonly<Record<string, Entry>>) =>
  (given: string): Result<Entry, string> => {
    const entry = Object.hasOwn(table, given) ? table[given] : undefined
    return entry === undefined ? err(`must be one of ${Object.keys(table).join(', ')}`) : ok(entry)
  }

export const flag = (given: string): Result<boolean, string> =>
  given === 'true' || given === 'false' ? ok(given === 'true') : err('must be true or false')

export const list =
  <Item>(parse: (item: string) => Result<Item, string>) =>
  (given: string): Result<readonly Item[], string> => {
    const items: Item[] = []
    for (const item of given
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
  <Value>(parse: (given: string) => Result<Value, string>) =>
  (given: string): Result<Value | null, string> =>
    given === '' ? ok(null) : parse(given)

export const parsedBy =
  <Value>(parse: (given: string) => Value | undefined, expected: string) =>
  (given: string): Result<Value, string> => {
    const value = parse(given)
    return value === undefined ? err(`must be ${expected}`) : ok(value)
  }

export const repository = parsedBy(parseRepositoryId, 'owner/name')

export function origin(given: string): Result<URL, string> {
  const url = URL.parse(given)
  const isOrigin =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.href === `${url.origin}/`
  return isOrigin ? ok(url) : err('must be an http or https URL without a path')
}

export const keys = (given: string): Result<Keyring, string> => {
  const keyring = parseKeys(given)
  return keyring.ok ? keyring : err('must be a comma-separated list of id:base64 of 32 bytes')
}

/** Plain http is for this machine alone. The path belongs to the name of the issuer, and is compared to the byte. */
export function issuer(given: string): Result<URL, string> {
  const url = URL.parse(given)
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '')
  const isIssuer =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) &&
    url.href === `${url.origin}${url.pathname}` &&
    !url.pathname.includes('/.well-known/')
  return isIssuer ? ok(url) : err('must be an https URL, the `issuer` of the discovery document')
}

/** Claim names with dots between them. A name with a dot or a slash, such as a URL, stands in double quotes. */
export function claimPath(given: string): Result<readonly string[], string> {
  const path = /^(?:"[^"]{1,256}"|[\w:@$-]{1,256})(?:\.(?:"[^"]{1,256}"|[\w:@$-]{1,256})){0,7}$/
  if (!path.test(given)) return err('must be names of claims with dots between, URLs in quotes')
  return ok([...given.matchAll(/"([^"]+)"|[^.]+/g)].map(([name, quoted]) => quoted ?? name))
}

export const address = (given: string): Result<string, string> =>
  given === 'localhost' || isIP(given) !== 0 ? ok(given) : err('must be an IP address or localhost')

export const absolutePath = (given: string): Result<string, string> =>
  isAbsolute(given) ? ok(given) : err('must be an absolute path')
