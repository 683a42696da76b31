import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** The last write to each secret path. The store does not see sealed contents. */
export interface SecretWriteStore {
  find(path: string): Promise<Result<SecretWriteRow | null, DatabaseFailure>>
  /**
   * Puts `row` in place of `before` (`null`: no row), which is known by its version and its sealed bytes. Answers `false`, and changes
   * nothing, when the path has another row; one of concurrent calls wins.
   */
  replace(
    before: SecretWriteRow | null,
    row: SecretWriteRow,
  ): Promise<Result<boolean, DatabaseFailure>>
}

export interface SecretWriteRow {
  readonly path: string
  /** The version that the write expected at the path. */
  readonly expectedVersion: number
  /** Id of the sealing key. */
  readonly keyId: string
  readonly sealed: Uint8Array
  readonly at: number
}
