import { err, ok, type Result } from '../result.ts'
import { type ReadFile, readText } from './watched-files.ts'

/** A token, secret id or JWT: the text of a setting, or a file that is read again at each use, because credentials rotate. */
export type Credential =
  | { readonly kind: 'text'; readonly text: string }
  /** `variable`: the setting that names the file. */
  | { readonly kind: 'file'; readonly variable: string; readonly path: string }

/**
 * The credential of one of two settings, its text or the path of its file. A file that cannot be read stops the start, with a sentence
 * for the operator; its content matters at each use.
 */
export function credentialOf(
  text: string | null,
  variable: string,
  path: string | null,
  readFile: ReadFile,
): Result<Credential, string> {
  if (path === null) return ok({ kind: 'text', text: text ?? '' })
  const file = readFile(path)
  return file.ok
    ? ok({ kind: 'file', variable, path })
    : err(`${variable}: ${path} cannot be read (${file.error})`)
}

/** One line that fits into a header and into JSON as it is. ID tokens with many groups take some ten thousand characters. */
const CREDENTIAL = /^[\x21-\x7e]{1,65536}$/

/** The text of a credential. The failure is a phrase for the operator, without the text. */
export function readCredential(credential: Credential): Result<string, string> {
  if (credential.kind === 'text') return ok(credential.text)
  const { variable, path } = credential
  const file = readText(path)
  if (!file.ok) return err(`the file of ${variable} cannot be read (${file.error})`)
  const text = file.value.trim()
  if (text === '') return err(`the file of ${variable} is empty`)
  return CREDENTIAL.test(text) ? ok(text) : err(`the file of ${variable} is not one line of text`)
}
