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
/** Longer lists are refused by their own limit. */
const DISTINCT_MAX = 500
/** Unknown keys reported per mapping: a file with more of them was meant for something else. */
const UNKNOWN_KEYS_MAX = 10
/** Longer keys are not searched for the spellings below. */
const KEY_MAX_LENGTH = 100

export const fault = (at: Path, message: string) => err<readonly Fault[]>([{ at, message }])

const faultsOf = (...readings: readonly Reading<unknown>[]): readonly Fault[] =>
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

/** A list in which no two entries have the same text at a key. Also checks entries that are wrong in another way. */
export const distinct =
  <Item>(key: string, list: Reader<readonly Item[]>, message: string): Reader<readonly Item[]> =>
  (value, at) => {
    const read = list(value, at)
    const entries: readonly unknown[] = Array.isArray(value) ? value.slice(0, DISTINCT_MAX) : []
    const seen = new Set<string>()
    const repeated = entries.flatMap((entry, index): readonly Fault[] => {
      const known = isObject(entry) ? entry[key] : undefined
      if (typeof known !== 'string') return []
      if (seen.has(known)) return [{ at: [...at, index, key], message }]
      seen.add(known)
      return []
    })
    return repeated.length === 0 ? read : err([...repeated, ...faultsOf(read)])
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

type Mapping = Readonly<Record<string, unknown>>

/** A member of the value that a mapping means, read from one of its keys or several. */
export interface Member<Value> {
  readonly keys: readonly string[]
  readonly read: (mapping: Mapping, at: Path) => Reading<Value>
}

/** `constructor` and `__proto__` are ordinary keys in a file. */
const has = (mapping: Mapping, key: string): boolean => Object.hasOwn(mapping, key)

export const required = <Value>(key: string, read: Reader<Value>): Member<Value> => ({
  keys: [key],
  read: (mapping, at) =>
    has(mapping, key) ? read(mapping[key], [...at, key]) : fault(at, `${key} is missing`),
})

export const optional = <Value, Otherwise>(
  key: string,
  read: Reader<Value>,
  otherwise: Otherwise,
): Member<Value | Otherwise> => ({
  keys: [key],
  read: (mapping, at) => (has(mapping, key) ? read(mapping[key], [...at, key]) : ok(otherwise)),
})

/** Exactly one of several keys. */
export const oneOf = <Value>(
  readers: Readonly<Record<string, Reader<Value>>>,
  missing: string,
): Member<Value> => ({
  keys: Object.keys(readers),
  read(mapping, at) {
    const [first, ...more] = Object.entries(readers)
      .filter(([key]) => has(mapping, key))
      .map(([key, read]) => ({ key, reading: read(mapping[key], [...at, key]) }))
    if (first === undefined) return fault(at, missing)
    const [second] = more
    if (second === undefined) return first.reading
    const names = Object.keys(readers)
    const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
    return err([
      { at: [...at, second.key], message: `only one of ${all} may be there` },
      ...faultsOf(first.reading, ...more.map(({ reading }) => reading)),
    ])
  },
})

/** A mapping with no other keys than those of its members. */
export const mappingOf =
  <Value extends object>(members: {
    readonly [Key in keyof Value]: Member<Value[Key]>
  }): Reader<Value> =>
  (value, at) => {
    if (!isObject(value)) return fault(at, 'must be a mapping')
    const read: Partial<Value> = {}
    const keys: string[] = []
    const faults: Fault[] = []
    for (const name in members) {
      const member = members[name]
      const reading = member.read(value, at)
      if (reading.ok) read[name] = reading.value
      else faults.push(...reading.error)
      keys.push(...member.keys)
    }
    faults.unshift(...unknownKeys(value, at, keys))
    return faults.length === 0 && isWhole(read, members) ? ok(read) : err(faults)
  }

const isWhole = <Value extends object>(read: Partial<Value>, members: object): read is Value =>
  Object.keys(members).every((name) => Object.hasOwn(read, name))

const unknownKeys = (mapping: Mapping, at: Path, known: readonly string[]): readonly Fault[] =>
  Object.keys(mapping)
    .filter((key) => !known.includes(key))
    .slice(0, UNKNOWN_KEYS_MAX)
    .map((key) => ({
      at: [...at, key],
      message: SKIPS_VERIFICATION.test(key.slice(0, KEY_MAX_LENGTH))
        ? 'there is no such setting: certificates are always verified'
        : `there is no such key, only ${known.join(', ')}`,
    }))

/** Spellings of kubeconfig, Backstage, Argo CD and curl. */
const SKIPS_VERIFICATION = /insecure|skip.*verif/i
