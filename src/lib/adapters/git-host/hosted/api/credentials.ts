import { type ReadFile, readText } from '../../../../settings/watched-files.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'

/** Proof of the sender of requests. */
export interface Credentials {
  /** The value of the `authorization` header. */
  current(signal: AbortSignal): Promise<Result<string, GitFailure>>
  /** The host has refused this value. Returns whether `current` has another one now. */
  refused(value: string): boolean
}

/** A token in a setting, or in a file that is read again at each use, because tokens rotate. */
export type TokenSource =
  | { readonly kind: 'text'; readonly token: string }
  | { readonly kind: 'file'; readonly path: string }

/** The token of one of two settings, `variable` or the file that `variable_FILE` names. The failure is a sentence for the operator. */
export function tokenSource(
  variable: string,
  token: string | null,
  path: string | null,
  readFile: ReadFile,
): Result<TokenSource, string> {
  if (path === null) return ok({ kind: 'text', token: token ?? '' })
  const file = readFile(path)
  return file.ok
    ? ok({ kind: 'file', path })
    : err(`${variable}_FILE: ${path} cannot be read (${file.error})`)
}

/** Fits into a header and is no list of several lines. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/

/** `scheme`: such as `Bearer`. */
export function tokenCredentials(scheme: string, source: TokenSource): Credentials {
  function current(): Result<string, GitFailure> {
    const text = source.kind === 'text' ? ok(source.token) : readText(source.path)
    const token = text.ok ? text.value.trim() : ''
    return TOKEN.test(token)
      ? ok(`${scheme} ${token}`)
      : err({ kind: 'git_denied', what: 'the file of the token cannot be read or has no token' })
  }
  return {
    current: () => Promise.resolve(current()),
    refused(value) {
      const now = current()
      return now.ok && now.value !== value
    },
  }
}
