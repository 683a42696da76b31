import type { GitAnswer, GitResult } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import { type Credential, readCredential } from '../../../../settings/credential.ts'

/** Proof of the sender of requests. */
export interface Credentials {
  /** The value of the `authorization` header. */
  current(signal: AbortSignal): GitAnswer<string>
  /** The host has refused this value. Returns whether `current` has another one now. */
  refused(value: string): boolean
}

/** `scheme`: such as `Bearer`. */
export function tokenCredentials(scheme: string, token: Credential): Credentials {
  function current(): GitResult<string> {
    const read = readCredential(token)
    return read.ok ? ok(`${scheme} ${read.value}`) : err({ kind: 'git_denied', what: read.error })
  }
  return {
    current: () => Promise.resolve(current()),
    refused(value) {
      const now = current()
      return now.ok && now.value !== value
    },
  }
}
