import { Sha256 } from '../../names.ts'
import type { ReleaseAsset } from '../../ports/git-host.ts'

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
