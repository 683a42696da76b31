import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Versions of secret entries. The store does not see sealed contents. */
export interface SecretVersionStore {
  /** A version of the path, without `version` the newest. `null`: there is none. */
  find(path: string, version?: number): Promise<Result<SecretVersionRow | null, DatabaseFailure>>
  /**
   * Adds a version that is one above the newest of its path, and removes those before the last `kept`. Answers `false`, and changes
   * nothing, when the path is not at the version before; one of concurrent calls wins.
   */
  append(row: SecretVersionRow, kept: number): Promise<Result<boolean, DatabaseFailure>>
  /** Adds a version as it is, unless the path has it already. */
  add(row: SecretVersionRow): Promise<Result<void, DatabaseFailure>>
  /** Puts other sealed bytes in the place of `before`. Answers `false` when that is not there any more. */
  replace(
    before: SecretVersionRow,
    sealed: Pick<SecretVersionRow, 'keyId' | 'sealed'>,
  ): Promise<Result<boolean, DatabaseFailure>>
  /** In the order of path and version, those behind `after`. */
  list(
    after: SecretVersionName | null,
    max: number,
  ): Promise<Result<readonly SecretVersionName[], DatabaseFailure>>
  /** Files of earlier releases that have become versions. */
  movedFiles(): Promise<Result<readonly MovedFile[], DatabaseFailure>>
  /** Takes the place of an earlier note of the same version. */
  noteMoved(file: MovedFile): Promise<Result<void, DatabaseFailure>>
}

export interface SecretVersionName {
  readonly path: string
  /** Counts from 1. */
  readonly version: number
}

export interface MovedFile extends SecretVersionName {
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string
}

export interface SecretVersionRow extends SecretVersionName {
  /** Id of the sealing key. Empty: `sealed` is what a damaged file held. */
  readonly keyId: string
  readonly sealed: Uint8Array
}
