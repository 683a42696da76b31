import { Sha256 } from '../../names.ts'
import type { GitFailure, ReleaseAsset } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { type ChecksumReaderOptions, createChecksumReader, unreadable } from './checksum-reader.ts'
import { checksumFilesFor, digestsFor } from './checksums.ts'

export type DigestFailure =
  | GitFailure
  /** The release says more than one thing about the file. */
  | { readonly kind: 'checksums_disagree'; readonly filename: string }

export interface PublishedDigests {
  /** What the release says that the digest of its asset is: the host itself, or a file of checksums. `null`: nothing. */
  of(
    asset: ReleaseAsset,
    assets: readonly ReleaseAsset[],
  ): Promise<Result<Sha256 | null, DigestFailure>>
}

/** What the host itself says. */
export const givenDigest = ({ sha256 }: ReleaseAsset): Sha256 | null => Sha256.parse(sha256) ?? null

/**
 * A release that has checksums has one for the asset. Files of checksums that cannot be read, or say nothing of it, are a
 * failure, and not the same as none: without them an asset would be taken as it comes.
 */
export function createPublishedDigests(options: ChecksumReaderOptions): PublishedDigests {
  const read = createChecksumReader(options)

  return {
    async of(asset, assets) {
      const given = givenDigest(asset)
      if (given !== null) return ok(given)
      const files = checksumFilesFor(asset, assets)
      const found = new Set<Sha256>()
      for (const { file, isOwn } of files) {
        const checksums = await read(file)
        if (!checksums.ok) return checksums
        const digests = digestsFor(checksums.value, asset.filename)
        if (isOwn && digests.length === 0) return unreadable('says nothing of the file beside it')
        for (const digest of digests) found.add(digest)
      }
      const [digest = null, ...others] = found
      if (others.length > 0) return err({ kind: 'checksums_disagree', filename: asset.filename })
      return digest === null && files.length > 0 ? unreadable('leaves out the file') : ok(digest)
    },
  }
}
