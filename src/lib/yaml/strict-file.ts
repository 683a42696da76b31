import { err, ok, type Result } from '../result.ts'
import { readYaml } from './read.ts'
import {
  distinct,
  listOf,
  mappingOf,
  type Path,
  type Reader,
  type Reading,
  required,
  textAs,
} from './strict-reader.ts'

const TEXT_MAX_LENGTH = 1024 * 1024
const ENTRIES_MAX = 500
const MISTAKES_MAX = 100
const API_VERSION = 'portal/v1'

/** A mistake in a file of the operator. Lines and columns count from 1. */
export interface FileMistake {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

/** Returns the text of a file, or why it cannot be read. */
export type ReadFile = (path: string) => Result<string, string>

/** A file of the operator with one list of entries. */
export interface EntryFile<Entry> {
  /** Key of the list. */
  readonly list: string
  /** Key by which an entry is known, and which no two have. */
  readonly key: string
  readonly entry: Reader<Entry>
}

/** Reads such a file, or reports everything that is wrong with it. A file with a mistake is not used at all. */
export function parseEntries<Entry>(
  text: string,
  file: EntryFile<Entry>,
): Result<readonly Entry[], readonly FileMistake[]> {
  if (text.length > TEXT_MAX_LENGTH) return mistake({ ...START, message: TOO_LARGE })
  const yaml = readYaml(text)
  if (!yaml.ok) {
    const { code, position, message } = yaml.error
    if (code === 'yaml_too_large') return mistake({ ...NOWHERE, message: TOO_LARGE })
    return mistake({ ...(position ?? NOWHERE), message })
  }
  const [document, ...more] = yaml.value.documents
  if (document === undefined || more.length > 0) {
    return mistake({ ...START, message: 'must be one YAML document' })
  }
  const entries = readEntries(document.value, file)
  if (entries.ok) return entries
  const shown: readonly FileMistake[] = entries.error
    .slice(0, MISTAKES_MAX)
    .map(({ at, message }) => ({ ...document.locate(at), message: `${nameOf(at)}: ${message}` }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
  const omitted = entries.error.length - shown.length
  return err(omitted > 0 ? [...shown, { ...NOWHERE, message: `and ${omitted} more` }] : shown)
}

export const describeMistake = (path: string, { line, column, message }: FileMistake): string =>
  line === null ? `${path}: ${message}` : `${path}:${line}:${column ?? 1}: ${message}`

const START = { line: 1, column: 1 }
const NOWHERE = { line: null, column: null }
const TOO_LARGE = 'is too large'

const mistake = (only: FileMistake) => err<readonly FileMistake[]>([only])

function readEntries<Entry>(
  value: unknown,
  { list, key, entry }: EntryFile<Entry>,
): Reading<readonly Entry[]> {
  const file = mappingOf({
    version: required('apiVersion', textAs(portalV1, `must be ${API_VERSION}`)),
    entries: required(
      list,
      distinct(key, listOf(entry, ENTRIES_MAX), `is the ${key} of an entry further up`),
    ),
  })(value, [])
  return file.ok ? ok(file.value.entries) : file
}

const portalV1 = (text: string) => (text === API_VERSION ? API_VERSION : undefined)

/** `clusters[1].auth.mode`. Keys that are not plain words are not repeated. */
const nameOf = (at: Path): string =>
  at
    .map((step) =>
      typeof step === 'number' ? `[${step}]` : `.${PLAIN_KEY.test(step) ? step : '…'}`,
    )
    .join('')
    .replace(/^\./, '') || 'the file'

const PLAIN_KEY = /^[\w./-]{1,80}$/
