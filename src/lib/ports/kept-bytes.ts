import type { Result } from '../result.ts'

/** Derived bytes, kept to spare a later process the work. `tests/contracts/kept-bytes.ts` is the definition. */
export interface KeptBytes {
  /** The bytes that were kept last, or `null` when they are damaged, or of another writer. */
  read(): Promise<Uint8Array<ArrayBuffer> | null>
  /** Replaces the kept bytes in one step: a process that dies meanwhile leaves the old ones. */
  keep(parts: AsyncIterable<Uint8Array>): Promise<Result<void, NotKept>>
}

export interface NotKept {
  readonly kind: 'not_kept'
  /** For the log. */
  readonly reason: string
}

export const nothingKept: KeptBytes = {
  read: () => Promise.resolve(null),
  keep: () => Promise.resolve({ ok: true, value: undefined }),
}
