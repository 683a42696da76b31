import type { Result } from '../result.ts'

/**
 * Bytes that can be worked out again, kept so that a later process need not. `tests/contracts/kept-bytes.ts`
 * is the definition.
 */
export interface KeptBytes {
  /** What was kept last, if it is whole and of the same writer. */
  read(): Promise<Uint8Array<ArrayBuffer> | null>
  /** In place of what was kept before, in one step: a process that dies meanwhile leaves what was there. */
  keep(parts: AsyncIterable<Uint8Array>): Promise<Result<void, NotKept>>
}

export interface NotKept {
  readonly kind: 'not_kept'
  /** For the log. */
  readonly reason: string
}

/** Keeps nothing. */
export const nothingKept: KeptBytes = {
  read: () => Promise.resolve(null),
  keep: () => Promise.resolve({ ok: true, value: undefined }),
}
