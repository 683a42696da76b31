import type { Result } from '../result.ts'

/** A cache of derived bytes that outlives the process. `tests/contracts/kept-bytes.ts` is the definition. */
export interface KeptBytes {
  /** The bytes of the last `keep`; `null` when they are missing, damaged or of another writer. */
  read(): Promise<KeptContent | null>
  /** Replaces the bytes atomically: a process that dies meanwhile leaves the old ones. */
  keep(parts: AsyncIterable<Uint8Array>): Promise<Result<void, NotKept>>
  /** Says that the bytes were still right at a time, in milliseconds since the Unix epoch. */
  confirm(at: number): Promise<Result<void, NotKept>>
}

export interface KeptContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The time of the last `confirm`, else that of the `keep`. */
  readonly confirmedAt: number
}

export interface NotKept {
  readonly kind: 'not_kept'
  /** For the log. */
  readonly reason: string
}

export const nothingKept: KeptBytes = {
  read: () => Promise.resolve(null),
  keep: () => Promise.resolve({ ok: true, value: undefined }),
  confirm: () => Promise.resolve({ ok: true, value: undefined }),
}
