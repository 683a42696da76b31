import { readText } from '../../../../settings/watched-files.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'

/** What requests prove their sender with. */
export interface Credentials {
  /** The value of the `authorization` header. */
  current(signal: AbortSignal): Promise<Result<string, GitFailure>>
  /** The host has refused this value. Returns whether `current` has another one now. */
  refused(value: string): boolean
}

/** Where a token comes from: a setting, or a file that is read again at each use, because tokens rotate. */
export type TokenSource =
  | { readonly kind: 'text'; readonly token: string }
  | { readonly kind: 'file'; readonly path: string }

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
