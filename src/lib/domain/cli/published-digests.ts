import { LRUCache } from 'lru-cache'
import { Sha256, type RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createFair } from '../../concurrency/fair.ts'
import { createAttempts } from './attempts.ts'

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

export type PublishedDigests = ReturnType<typeof createPublishedDigests>

/** The digest that the host states. */
export const givenDigest = ({ sha256 }: ReleaseAsset): Sha256 | null => Sha256.parse(sha256) ?? null

/**
 * A release with checksum files must list every asset. An unreadable checksum file, or one without the asset, is a failure:
 * counted as missing, it would let the asset through unverified.
 */
export function createPublishedDigests(
  releases: Pick<Releases, 'openAsset'>,
  repository: RepositoryId,
  clock: Clock,
) {
  /** By id of the asset; a host does not reuse ids. */
  const parsed = new LRUCache<string, Checksums>({ maxSize: CACHE_BYTES_MAX })
  const attempt = createAttempts<Checksums, GitFailure>(RETRY_AFTER_MS, clock)
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
    /** The digest that the host or a checksum file of the release states. `null`: the release states none. */
    async of(
      asset: ReleaseAsset,
      assets: readonly ReleaseAsset[],
    ): Promise<Result<Sha256 | null, DigestFailure>> {
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

const LINE_MAX_LENGTH = 4_096

/** Lists of many files: `tool_1.2.3_checksums.txt`, `checksums-sha256.txt`, `SHA256SUMS`, `SHASUMS256.txt`, `sha256.sum`, `sha256.txt`. */
const LIST =
  /^(?:.*[-_.])?(?:checksums?(?:[-_.]sha-?256(?:sums?)?)?|sha-?256[-_.]?(?:checksums?|sums?)|shasums256)(?:\.txt)?$|^(?:.*[-_.])?sha-?256\.txt$/i
/** The checksum of a single file, beside it: `tool-linux-amd64.sha256`. */
const SINGLE = /^(.+)\.sha-?256(?:sums?)?(?:\.txt)?$/i

export interface ChecksumFile {
  readonly file: ReleaseAsset
  /** Describes this asset alone. */
  readonly isOwn: boolean
}

/** The checksum files of a release that must list the asset. */
export function checksumFilesFor(
  { filename }: ReleaseAsset,
  assets: readonly ReleaseAsset[],
): readonly ChecksumFile[] {
  const names = new Set(assets.map((asset) => asset.filename))
  return assets.flatMap((file): readonly ChecksumFile[] => {
    const described = SINGLE.exec(file.filename)?.[1]
    if (described !== undefined && names.has(described)) {
      return described === filename ? [{ file, isOwn: true }] : []
    }
    return LIST.test(file.filename) ? [{ file, isOwn: false }] : []
  })
}

/** Digests by file name without its folder; lines without a name are under `NAMELESS`. */
export type Checksums = ReadonlyMap<string, ReadonlySet<Sha256>>

const NAMELESS = ''

/** Every digest stated for the file; more than one is a contradiction. */
export const digestsFor = (checksums: Checksums, filename: string): readonly Sha256[] => [
  ...(checksums.get(filename) ?? []),
  ...(checksums.get(NAMELESS) ?? []),
]

/** Lines of no known format are skipped. Takes time linear in the length of the text. */
export function parseChecksums(bytes: Uint8Array): Checksums {
  const checksums = new Map<string, Set<Sha256>>()
  for (const line of decode(bytes).split(/[\r\n\u2028\u2029]+/)) {
    const entry = line.length > LINE_MAX_LENGTH ? undefined : parseLine(line.trim())
    if (entry === undefined) continue
    const digests = checksums.get(entry.name) ?? new Set()
    checksums.set(entry.name, digests.add(entry.digest))
  }
  return checksums
}

/** UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. */
function decode(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex')
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** `<digest>  <name>` of sha256sum: `*` before the name means binary, `\` before the line means escapes in the name. */
const GNU = /^\\?([0-9a-f]{64})(?:[ \t]+\*?(\S.*))?$/i
/** `SHA256 (<name>) = <digest>` of BSD and `openssl dgst`. */
const BSD = /^\\?SHA2?-?256 ?\((.+)\) ?= ?([0-9a-f]{64})$/i

function parseLine(line: string): { readonly name: string; readonly digest: Sha256 } | undefined {
  const [, gnu, gnuName] = GNU.exec(line) ?? []
  const [, bsdName, bsd] = BSD.exec(line) ?? []
  const digest = Sha256.parse((gnu ?? bsd)?.toLowerCase())
  const name = baseName(gnuName ?? bsdName)
  return digest === undefined || name === undefined ? undefined : { name, digest }
}

/** `-` is the standard input of sha256sum. An escaped backslash separates folders like a plain one. */
function baseName(path: string | undefined): string | undefined {
  if (path === undefined || path === '-') return NAMELESS
  const name = path.split(/[\\/]/).at(-1)
  return name === '' ? undefined : name
}
