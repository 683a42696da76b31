import { Sha256, type RepositoryId } from '../../names.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { checksumFilesFor, digestsIn } from './checksums.ts'
import { createTurnstile } from '../../turnstile.ts'

const CHECKSUMS_MAX_BYTES = 1024 * 1024
const CHECKSUMS_TIMEOUT_MS = 10_000
const CHECKSUMS_KEPT = 500
const READS_AT_ONCE = 8

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

/**
 * A file of checksums that cannot be read is a failure, and not the same as none: without it an asset would be taken as it
 * comes. Each is read once, since a host gives another file another id.
 */
export function createPublishedDigests({
  releases,
  repository,
}: {
  readonly releases: Pick<Releases, 'openAsset'>
  readonly repository: RepositoryId
}): PublishedDigests {
  const texts = new Map<string, Promise<Result<string, GitFailure>>>()
  const inTurn = createTurnstile(READS_AT_ONCE)

  function textOf(file: ReleaseAsset): Promise<Result<string, GitFailure>> {
    const known = texts.get(file.id)
    if (known !== undefined) return known
    if (texts.size >= CHECKSUMS_KEPT) texts.clear()
    const reading = inTurn(() => read(file)).then((text) => {
      if (!text.ok) texts.delete(file.id)
      return text
    })
    texts.set(file.id, reading)
    return reading
  }

  async function read(file: ReleaseAsset): Promise<Result<string, GitFailure>> {
    if (file.sizeBytes > CHECKSUMS_MAX_BYTES) return unreadable('is too large')
    const signal = AbortSignal.timeout(CHECKSUMS_TIMEOUT_MS)
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
      return length === file.sizeBytes
        ? ok(Buffer.concat(parts).toString('utf8'))
        : unreadable('was cut off')
    } catch {
      return signal.aborted ? err({ kind: 'git_host_timeout' }) : unreadable('was cut off')
    }
  }

  return {
    async of(asset, assets) {
      const given = Sha256.parse(asset.sha256)
      if (given !== undefined) return ok(given)
      const found = new Set<Sha256>()
      for (const file of checksumFilesFor(asset, assets)) {
        const text = await textOf(file)
        if (!text.ok) return text
        for (const digest of digestsIn(text.value, asset.filename)) found.add(digest)
      }
      const [digest = null, ...others] = found
      return others.length === 0
        ? ok(digest)
        : err({ kind: 'checksums_disagree', filename: asset.filename })
    },
  }
}

const unreadable = (what: string) =>
  err({ kind: 'git_host_error', reason: `a file of checksums ${what}` } as const)
