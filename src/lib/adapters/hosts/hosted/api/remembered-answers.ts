import { LRUCache } from 'lru-cache'
import type { RawAnswer } from '../../../../outbound/exchange.ts'

const ALL_MAX_BYTES = 16 * 1024 * 1024
/** Larger answers are listings, which their readers keep by object id. */
const ONE_MAX_BYTES = 1024 * 1024
/** Estimate for the headers of an answer and its place in the map. */
const ENTRY_BYTES = 2_048

export interface RememberedAnswer {
  readonly etag: string
  readonly answer: RawAnswer
}

/**
 * Answers that can be confirmed with `If-None-Match` (RFC 9110 §13.1.2), which GitHub does not count against the primary limit. GitHub's
 * ETags are those of one token: after its rotation the answer comes again in full.
 */
export function createRememberedAnswers() {
  const answers = new LRUCache<string, RememberedAnswer>({
    maxSize: ALL_MAX_BYTES,
    maxEntrySize: ONE_MAX_BYTES,
    sizeCalculation: ({ answer }, key) => ENTRY_BYTES + key.length + answer.bytes.byteLength,
  })
  return {
    get: (key: string): RememberedAnswer | undefined => answers.get(key),
    /** The latest answer for a key: it replaces or forgets the former one. */
    note(key: string, answer: RawAnswer): void {
      const etag = answer.headers.get('etag')
      if (answer.status === 200 && etag !== null) answers.set(key, { etag, answer })
      else answers.delete(key)
    },
  }
}
