import { Sha256 } from '../../names.ts'
import type { ReleaseAsset } from '../../ports/git-host.ts'

const LINE_MAX_LENGTH = 4_096

/** Of many files: `tool_1.2.3_checksums.txt`, `checksums-sha256.txt`, `SHA256SUMS`, `SHASUMS256.txt`, `sha256.sum`, `sha256.txt`. */
const LIST =
  /^(?:.*[-_.])?(?:checksums?(?:[-_.]sha-?256(?:sums?)?)?|sha-?256[-_.]?(?:checksums?|sums?)|shasums256)(?:\.txt)?$|^(?:.*[-_.])?sha-?256\.txt$/i
/** Beside the file that it is of: `tool-linux-amd64.sha256`. */
const OF_ONE = /^(.+)\.sha-?256(?:sums?)?(?:\.txt)?$/i

export interface ChecksumFile {
  readonly file: ReleaseAsset
  /** Of this asset alone, and not of many. */
  readonly isOwn: boolean
}

/** Files of a release that have to say what the digest of its asset is. */
export function checksumFilesFor(
  { filename }: ReleaseAsset,
  assets: readonly ReleaseAsset[],
): readonly ChecksumFile[] {
  const names = new Set(assets.map((asset) => asset.filename))
  return assets.flatMap((file): readonly ChecksumFile[] => {
    const of = OF_ONE.exec(file.filename)?.[1]
    if (of !== undefined && names.has(of)) return of === filename ? [{ file, isOwn: true }] : []
    return LIST.test(file.filename) ? [{ file, isOwn: false }] : []
  })
}

/** Digests by the name of the file that they are of, without its folder. Those that have no name are under `NAMELESS`. */
export type Checksums = ReadonlyMap<string, ReadonlySet<Sha256>>

const NAMELESS = ''

/** Every digest that is said of the file. More than one when they contradict each other. */
export const digestsFor = (checksums: Checksums, filename: string): readonly Sha256[] => [
  ...(checksums.get(filename) ?? []),
  ...(checksums.get(NAMELESS) ?? []),
]

/** What is no line of a known format says nothing. Takes a time that grows with the length of the text and no faster. */
export function parseChecksums(bytes: Uint8Array): Checksums {
  const checksums = new Map<string, Set<Sha256>>()
  for (const line of decode(bytes).split(/[\r\n\u2028\u2029]+/)) {
    const found = line.length > LINE_MAX_LENGTH ? undefined : parseLine(line.trim())
    if (found === undefined) continue
    const digests = checksums.get(found.name) ?? new Set()
    checksums.set(found.name, digests.add(found.digest))
  }
  return checksums
}

/** UTF-8, or with its byte order mark UTF-16, as PowerShell writes it. */
function decode(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex')
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** `<digest>  <name>` of sha256sum: `*` before a name that was read as binary, `\` before all when the name has escapes. */
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

/** `-` is what sha256sum calls its standard input. An escaped backslash separates as one does. */
function baseName(path: string | undefined): string | undefined {
  if (path === undefined || path === '-') return NAMELESS
  const name = path.split(/[\\/]/).at(-1)
  return name === '' ? undefined : name
}
