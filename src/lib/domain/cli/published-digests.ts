import { LRUCache } from 'lru-cache'
import { Sha256, type RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createFair } from '../../concurrency/fair.ts'
import { createAttempts } from './attempts.ts'
import { checksumFilesFor, type Checksums, digestsFor, parseChecksums } from './checksums.ts'

const FILE_BYTES_MAX = 256 * 1024
const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5_000
const READS_AT_ONCE = 8
const CACHE_BYTES_MAX = 4 * 1024 * 1024
/** Added to the size of a file, so that the number of small ones is bounded too. */
const ENTRY_BYTES = 1_024

export type DigestFailure =
  | GitFailure
  /** The release states different digests of the file. */
  | { readonly kind: 'checksums_disagree'; readonly filename: string }

export interface PublishedDigests {
  /** The digest that the host or a checksum file of the release states. `null`: the release states none. */
  of(
    asset: ReleaseAsset,
    assets: readonly ReleaseAsset[],
  ): Promise<Result<Sha256 | null, DigestFailure>>
}

/** The digest that the host states. */
export const givenDigest = ({ sha256 }: ReleaseAsset): Sha256 | null => Sha256.parse(sha256) ?? null

/**
 * A release with checksum files must list every asset. An unreadable checksum file, or one without the asset, is a failure:
 * counted as missing, it would let the asset through unverified.
 */
export function createPublishedDigests({
  releases,
  repository,
  clock,
}: {
  readonly releases: Pick<Releases, 'openAsset'>
  readonly repository: RepositoryId
  readonly clock: Clock
}): PublishedDigests {
  /** By id of the asset; a host does not reuse ids. */
  const parsed = new LRUCache<string, Checksums>({ maxSize: CACHE_BYTES_MAX })
  const attempt = createAttempts<Checksums, GitFailure>({ retryAfterMs: RETRY_AFTER_MS, clock })
  const { inTurn } = createFair({ queue: 'downloads', permits: READS_AT_ONCE, isElsewhere: true })

  async function checksumsOf(file: ReleaseAsset): Promise<Result<Checksums, GitFailure>> {
    const known = parsed.get(file.id)
    if (known !== undefined) return ok(known)
    return attempt(file.id, () =>
      inTurn(async () => {
        const bytes = await read(file)
        if (!bytes.ok) return bytes
        const checksums = parseChecksums(bytes.value)
        parsed.set(file.id, checksums, { size: file.sizeBytes + ENTRY_BYTES })
        return ok(checksums)
      }),
    )
  }

  async function read(file: ReleaseAsset): Promise<Result<Uint8Array, GitFailure>> {
    // Negated, so that NaN is refused too.
    if (!(file.sizeBytes <= FILE_BYTES_MAX)) return unusable('is too large')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const stream = await releases.openAsset(repository, file, signal)
    if (!stream.ok) return stream
    try {
      const parts: Uint8Array[] = []
      let length = 0
      for await (const part of stream.value) {
        length += part.length
        if (length > file.sizeBytes) return unusable('is longer than the host says')
        parts.push(part)
      }
      return length === file.sizeBytes ? ok(Buffer.concat(parts)) : unusable('was cut off')
    } catch {
      return signal.aborted ? err({ kind: 'git_host_timeout' }) : unusable('was cut off')
    }
  }

  return {
    async of(asset, assets) {
      const byHost = givenDigest(asset)
      if (byHost !== null) return ok(byHost)
      const files = checksumFilesFor(asset, assets)
      const stated = new Set<Sha256>()
      for (const { file, isOwn } of files) {
        const checksums = await checksumsOf(file)
        if (!checksums.ok) return checksums
        const digests = digestsFor(checksums.value, asset.filename)
        if (isOwn && digests.length === 0) return unusable('says nothing of the file beside it')
        for (const digest of digests) stated.add(digest)
      }
      const [digest = null, ...others] = stated
      if (others.length > 0) return err({ kind: 'checksums_disagree', filename: asset.filename })
      return digest === null && files.length > 0 ? unusable('leaves out the file') : ok(digest)
    },
  }
}

const unusable = (fault: string) =>
  err({ kind: 'git_host_error', reason: `a file of checksums ${fault}` } as const)
