import { isObject } from '../text/json.ts'
import { err, ok, type Result } from '../result.ts'

/** Reads a value of a hand-written file. Reports all faults at once, each with its path. */
export type Reader<Value> = (value: unknown, at: Path) => Reading<Value>
export type Reading<Value> = Result<Value, readonly Fault[]>
export type Path = readonly (string | number)[]

export interface Fault {
  readonly at: Path
  /** States what is expected; never repeats the value. */
  readonly message: string
}

const TEXT_MAX_LENGTH = 1_000
/** Unknown keys reported per mapping: a file with more of them was meant for something else. */
const UNKNOWN_KEYS_MAX = 10
/** Longer keys are not searched for the spellings below. */
const KEY_MAX_LENGTH = 100

export const fault = (at: Path, message: string) => err<readonly Fault[]>([{ at, message }])

export const faultsOf = (...readings: readonly Reading<unknown>[]): readonly Fault[] =>
  readings.flatMap((reading) => (reading.ok ? [] : reading.error))

const isLine = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= TEXT_MAX_LENGTH &&
  value.trim() !== '' &&
  /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(value)

/** One line of text that `parse` accepts. */
export const textAs =
  <Value>(parse: (text: string) => Value | undefined, message: string): Reader<Value> =>
  (value, at) => {
    const parsed = isLine(value) ? parse(value) : undefined
    return parsed === undefined ? fault(at, message) : ok(parsed)
  }

export const line: Reader<string> = textAs((text) => text, 'must be one line of text')

export const listOf =
  <Item>(item: Reader<Item>, max: number): Reader<readonly Item[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return fault(at, 'must be a list')
    if (value.length > max) return fault(at, `must have at most ${max} items`)
    const readings = value.map((each, index) => item(each, [...at, index]))
    const faults = faultsOf(...readings)
    return faults.length > 0
      ? err(faults)
      : ok(readings.flatMap((reading) => (reading.ok ? [reading.value] : [])))
  }

export const textByName =
  (max: number): Reader<Readonly<Record<string, string>>> =>
  (value, at) => {
    if (!isObject(value)) return fault(at, 'must be a mapping')
    const entries = Object.entries(value)
    if (entries.length > max) return fault(at, `must have at most ${max} keys`)
    const texts: [string, string][] = []
    const faults: Fault[] = []
    for (const [key, each] of entries) {
      if (typeof each === 'string') texts.push([key, each])
      else faults.push({ at: [...at, key], message: 'must be text' })
    }
    return faults.length > 0 ? err(faults) : ok(Object.fromEntries(texts))
  }

/** A mapping with a fixed set of keys. */
export interface Members {
  readonly has: (key: string) => boolean
  readonly required: <Value>(key: string, read: Reader<Value>) => Reading<Value>
  readonly optional: <Value, Otherwise>(
    key: string,
    read: Reader<Value>,
    otherwise: Otherwise,
  ) => Reading<Value | Otherwise>
  /** Faults for unknown keys. */
  readonly strict: Reading<null>
}

export function membersOf(value: unknown, at: Path, keys: readonly string[]): Reading<Members> {
  if (!isObject(value)) return fault(at, 'must be a mapping')
  // `constructor` and `__proto__` are ordinary keys in a file.
  const has = (key: string): boolean => Object.hasOwn(value, key)
  const unknown = Object.keys(value).filter((key) => !keys.includes(key))
  const faults = unknown.slice(0, UNKNOWN_KEYS_MAX).map((key) => ({
    at: [...at, key],
    message: SKIPS_VERIFICATION.test(key.slice(0, KEY_MAX_LENGTH))
      ? 'there is no such setting: certificates are always verified'
      : `there is no such key, only ${keys.join(', ')}`,
  }))
  return ok({
    has,
    required: (key, read) =>
      has(key) ? read(value[key], [...at, key]) : fault(at, `${key} is missing`),
    optional: (key, read, otherwise) => (has(key) ? read(value[key], [...at, key]) : ok(otherwise)),
    strict: faults.length > 0 ? err(faults) : ok(null),
  })
}

/** Spellings of kubeconfig, Backstage, Argo CD and curl. */
const SKIPS_VERIFICATION = /insecure|skip.*verif/i
