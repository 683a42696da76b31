import { Sha256 } from '../../names.ts'
import type { ReleaseAsset } from '../../ports/git-host.ts'

/** `tool_1.2.3_checksums.txt`, `SHA256SUMS`, `SHASUMS256.txt`, `sha256.sum`: lists of many files. */
const LIST = /^(?:.*[-_.])?(?:checksums|sha256sums?|shasums256)(?:\.txt)?$|^sha256\.sum$/i
/** Beside the file that it is of. */
const OF_ONE = ['.sha256', '.sha256sum']

/** Files of a release that may say what an asset's digest is. */
export const checksumFilesFor = (
  { filename }: ReleaseAsset,
  assets: readonly ReleaseAsset[],
): readonly ReleaseAsset[] => {
  const own = OF_ONE.map((ending) => `${filename}${ending}`)
  return assets.filter((asset) => LIST.test(asset.filename) || own.includes(asset.filename))
}

/** `<digest>  <name>` of sha256sum, `*` before a name that was read as binary; the digest alone, when there is one file. */
const GNU = /^([0-9a-f]{64})(?:[ \t]+\*?(?:\.\/)?(.+))?$/i
/** `SHA256 (<name>) = <digest>` of BSD and `openssl dgst`. */
const BSD = /^SHA2?-?256 ?\((?:\.\/)?(.+)\) ?= ?([0-9a-f]{64})$/i

/** Every digest that the text gives the file. More than one when it contradicts itself. */
export function digestsIn(text: string, filename: string): readonly Sha256[] {
  const digests = text.split(/\r?\n/).flatMap((line) => {
    const [, digest, name = filename] = GNU.exec(line.trim()) ?? reordered(BSD.exec(line.trim()))
    const parsed = name === filename ? Sha256.parse(digest?.toLowerCase()) : undefined
    return parsed ?? []
  })
  return [...new Set(digests)]
}

const reordered = (found: RegExpExecArray | null): readonly (string | undefined)[] =>
  found === null ? [] : [found[0], found[2], found[1]]
