import { isAbsolute } from 'node:path'
import { err, type Result } from '../lib/result.ts'

export interface Setting<Value> {
  readonly description: string
  readonly example: string
  /** What holds without the variable; without it the variable is required. Text, as it would be set. */
  readonly fallback?: string
  /** May also come from a file, named by the variable with `_FILE` behind. */
  readonly secret?: true
  /** Means a real installation: the demo does not start when it is set. */
  readonly production?: true
  /** The value, or what it must be. */
  readonly parse: (text: string) => Result<Value, string>
}

export const setting = <Value>(definition: Setting<Value>) => definition

export type Environment = Readonly<Record<string, string | undefined>>

/** The text of a file. Throws when it cannot be read. */
export type ReadFile = (path: string) => string

/** From its variable, or from the file that `<variable>_FILE` names. What is wrong never repeats what was given. */
export function readSetting(
  variable: string,
  { fallback, secret, parse }: Setting<unknown>,
  environment: Environment,
  readFile: ReadFile,
): Result<unknown, string> {
  const fileVariable = `${variable}_FILE`
  const file = secret === true ? environment[fileVariable] : undefined
  const given = environment[variable]
  if (file === undefined) {
    const value = given ?? fallback
    return value === undefined ? err('is missing') : parse(value)
  }
  if (given !== undefined) return err(`is set twice, also as ${fileVariable}`)
  if (!isAbsolute(file)) return err(`${fileVariable} must be an absolute path`)
  try {
    return parse(readFile(file).trim())
  } catch {
    return err(`the file that ${fileVariable} names cannot be read`)
  }
}
