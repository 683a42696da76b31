import { isAbsolute } from 'node:path'
import { err, ok, type Result } from '../result.ts'

/** An environment variable and its meaning. */
export interface Setting<Value> {
  readonly description: string
  readonly example: string
  /** Text used when the variable is missing. A setting without a fallback is required. */
  readonly fallback?: string
  /** May also come from a file, whose path is in the variable with `_FILE` behind its name. */
  readonly secret?: true
  /** Set in real installations only: the demo refuses to start beside it. */
  readonly production?: true
  /** The value, or a phrase that says what the text must be. */
  readonly parse: (text: string) => Result<Value, string>
}

type Definition<Value> = Omit<Setting<Value>, 'example'> &
  ({ readonly example: string } | { readonly fallback: string; readonly example?: never })

/** Without an `example` the fallback is one. */
export const setting = <Value>({ example, ...definition }: Definition<Value>): Setting<Value> => ({
  ...definition,
  example: example ?? definition.fallback ?? '',
})

/** A setting that may be left out: then it is `null`. */
export const optionalSetting = <Value>({
  parse,
  ...definition
}: Omit<Setting<Value>, 'fallback'>): Setting<Value | null> => ({
  ...definition,
  fallback: '',
  parse: (text) => (text === '' ? ok(null) : parse(text)),
})

export type SettingTable = Readonly<Record<string, Setting<unknown>>>
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never
}

export interface SettingMistake {
  readonly variable: string
  readonly reason: string
  readonly example: string
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface SettingSource {
  readonly environment: Environment
  /** The text of a file. Throws when the file cannot be read. */
  readonly readFile: (path: string) => string
  /** The first characters of all variables; a table has the rest of their names. By default a table has whole names. */
  readonly prefix?: string
}

/** Every value of a table, or every mistake. A mistake never repeats the text of its variable. */
export function readSettings<Table extends SettingTable>(
  table: Table,
  source: SettingSource,
): Result<SettingValues<Table>, readonly SettingMistake[]> {
  const { values, mistakes } = readEach(table, source)
  return isComplete(table, values, mistakes) ? ok(values) : err(mistakes)
}

/** The values of a table that are right. */
export const readUsable = <Table extends SettingTable>(
  table: Table,
  source: SettingSource,
): Partial<SettingValues<Table>> => usable<Table>(readEach(table, source).values)

/** The values of `readEach` are those of the parsers of the table. */
const usable = <Table extends SettingTable>(values: object) =>
  values as Partial<SettingValues<Table>>

function readEach(table: SettingTable, source: SettingSource) {
  const mistakes: SettingMistake[] = []
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(table)) {
    const variable = `${source.prefix ?? ''}${name}`
    const value = readSetting(variable, definition, source)
    if (value.ok) values[name] = value.value
    else mistakes.push({ variable, reason: value.error, example: definition.example })
  }
  return { values, mistakes }
}

/** Without a mistake every variable has the value of its parser. */
const isComplete = <Table extends SettingTable>(
  table: Table,
  values: Record<string, unknown>,
  mistakes: readonly SettingMistake[],
): values is SettingValues<Table> & Record<string, unknown> =>
  mistakes.length === 0 && Object.keys(table).every((name) => name in values)

function readSetting(
  variable: string,
  { fallback, secret, parse }: Setting<unknown>,
  { environment, readFile }: SettingSource,
): Result<unknown, string> {
  const fileVariable = `${variable}_FILE`
  const file = secret === true ? environment[fileVariable] : undefined
  const text = environment[variable]
  if (file === undefined) {
    const textOrFallback = text ?? fallback
    return textOrFallback === undefined ? err('is missing') : parse(textOrFallback)
  }
  if (text !== undefined) return err(`is set twice, also as ${fileVariable}`)
  if (!isAbsolute(file)) return err(`comes from ${fileVariable}, which must be an absolute path`)
  try {
    return parse(readFile(file).trim())
  } catch {
    return err(`cannot be read from the file that ${fileVariable} names`)
  }
}
