import { LRUCache } from 'lru-cache'
import type { RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTurnstile } from '../../concurrency/turnstile.ts'
import { createAttempts } from './attempts.ts'
import { type Checksums, parseChecksums } from './checksums.ts'

const FILE_MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5_000
const READS_AT_ONCE = 8
const KEPT_MAX_BYTES = 4 * 1024 * 1024
/** What a file is counted for besides its bytes, so that the number of small ones is bounded too. */
const ENTRY_BYTES = 1_024

export interface ChecksumReaderOptions {
  readonly releases: Pick<Releases, 'openAsset'>
  readonly repository: RepositoryId
  readonly clock: Clock
}

export type ReadChecksums = (file: ReleaseAsset) => Promise<Result<Checksums, GitFailure>>

/** Files of checksums, each read and understood once as long as there is room for it: a host gives another file another id. */
export function createChecksumReader({
  releases,
  repository,
  clock,
}: ChecksumReaderOptions): ReadChecksums {
  const kept = new LRUCache<string, Checksums>({ maxSize: KEPT_MAX_BYTES })
  const attempt = createAttempts<Checksums, GitFailure>({ retryAfterMs: RETRY_AFTER_MS, clock })
  const inTurn = createTurnstile(READS_AT_ONCE)

  async function readAndKeep(file: ReleaseAsset): Promise<Result<Checksums, GitFailure>> {
    const bytes = await read(file)
    if (!bytes.ok) return bytes
    const checksums = parseChecksums(bytes.value)
    kept.set(file.id, checksums, { size: file.sizeBytes + ENTRY_BYTES })
    return ok(checksums)
  }

  async function read(file: ReleaseAsset): Promise<Result<Uint8Array, GitFailure>> {
    // Written so that a size that is no number is refused too.
    if (!(file.sizeBytes <= FILE_MAX_BYTES)) return unreadable('is too large')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const opened = await releases.openAsset(repository, file, signal)
    if (!opened.ok) return opened
    try {
      const parts: Uint8Array[] = []
      let length = 0
      for await (const part of opened.value) {
        length += part.length
        if (length > file.sizeBytes) return unreadable('is longer than the host says')
        parts.push(part)
      }
      return length === file.sizeBytes ? ok(Buffer.concat(parts)) : unreadable('was cut off')
    } catch {
      return signal.aborted ? err({ kind: 'git_host_timeout' }) : unreadable('was cut off')
    }
  }

  return async (file) => {
    const known = kept.get(file.id)
    if (known !== undefined) return ok(known)
    return attempt(file.id, () => inTurn(() => readAndKeep(file)))
  }
}

export const unreadable = (what: string) =>
  err({ kind: 'git_host_error', reason: `a file of checksums ${what}` } as const)
