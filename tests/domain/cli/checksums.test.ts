import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  checksumFilesFor,
  digestsFor,
  parseChecksums,
} from '#src/lib/domain/cli/published-digests.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const FILE = 'devx-linux-amd64'
/** Longer than any file that is read: an algorithm that is not linear would take minutes. */
const HUGE = 400_000

const bytesOf = (text: string) => new TextEncoder().encode(text)
const digestsIn = (text: string | Uint8Array): readonly string[] =>
  digestsFor(parseChecksums(typeof text === 'string' ? bytesOf(text) : text), FILE)
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('what a text says of a file', () => {
  test.each([
    ['sha256sum', `${B}  other\n${A}  ${FILE}\n`],
    ['sha256sum --binary', `${A} *${FILE}\n`],
    ['sha256sum in this folder', `${A}  ./${FILE}\n`],
    ['sha256sum in another folder', `${A}  dist/${FILE}\n${B}  dist/other\n`],
    ['sha256sum of an absolute path', `${A}  /build/dist/${FILE}\n`],
    ['sha256sum on Windows, with escapes', `\\${A} *dist\\\\${FILE}\r\n`],
    ['sha256sum of its standard input', `${A}  -\n`],
    ['upper case and line ends of Windows', `${A.toUpperCase()}  ${FILE}\r\n${B}  other\r\n`],
    ['line ends of old', `${B}  other\r${A}  ${FILE}\r`],
    ['line ends of Unicode', `${B}  other\u2028${A}  ${FILE}\u2029${B}  another`],
    ['the digest alone', `${A}\n`],
    ['BSD', `SHA256 (other) = ${B}\nSHA256 (${FILE}) = ${A}\n`],
    ['BSD with folders', `SHA256 (dist/${FILE}) = ${A}\nSHA256 (dist/other) = ${B}\n`],
    ['openssl dgst', `SHA2-256(${FILE})= ${A}\n`],
    ['without an end of line', `${A}  ${FILE}`],
    ['twice the same', `${A}  ${FILE}\n${A}  ${FILE}\n`],
    ['a byte order mark', `\ufeff${A}  ${FILE}\n`],
    ['UTF-16', utf16(`${A}  ${FILE}\r\n`)],
    ['UTF-16 the other way round', utf16(`${A}  ${FILE}\r\n`).swap16()],
  ])('%s', (_, text) => {
    expect(digestsIn(text)).toStrictEqual([A])
  })

  test.each([
    ['other files', `${A}  ${FILE}.sbom.json\n${A}  x${FILE}\n${A}  ${FILE}/readme\n`],
    ['a folder', `${A}  ${FILE}/\n${A}  /\n`],
    ['another algorithm', `${'a'.repeat(128)}  ${FILE}\n${'a'.repeat(40)}  ${FILE}\n`],
    ['no digest', `${'g'.repeat(64)}  ${FILE}\n`],
    ['a page', `<html>${A}</html>`],
    ['a line that is too long', `${A}  ${'x/'.repeat(2_048)}${FILE}\n`],
    ['nothing', ''],
  ])('%s say nothing', (_, text) => {
    expect(digestsIn(text)).toStrictEqual([])
  })

  test('a contradiction is shown as one', () => {
    expect(digestsIn(`${A}  ${FILE}\n${B}  ${FILE}\n`)).toStrictEqual([A, B])
    expect(digestsIn(`${A}  ${FILE}\n${B}  dist/${FILE}\n`)).toStrictEqual([A, B])
    expect(digestsIn(`${A}  ${FILE}\n${B}\n`)).toStrictEqual([A, B])
  })

  test('is found in any lines around it', () => {
    const noise = fc.string({ unit: 'binary' }).filter((text) => !/[0-9a-f]{64}/i.test(text))
    fc.assert(
      fc.property(fc.array(noise), fc.array(noise), (before, after) => {
        const lines = [...before, `${A}  ${FILE}`, ...after]
        expect(digestsIn(lines.join('\n'))).toStrictEqual([A])
      }),
    )
  })

  test.each([
    ['spaces before an odd line end', `${B}${' '.repeat(HUGE)}\rx`],
    ['spaces before a name', `${B}${' '.repeat(HUGE)}x`],
    ['nothing but spaces', ' '.repeat(HUGE)],
    ['closing parentheses', `SHA256 (${')'.repeat(HUGE)}`],
    ['closing parentheses and digests', `SHA256 (${`) = ${B}`.repeat(HUGE / 68)}`],
    ['long lines of spaces', `${B}${' '.repeat(4_000)}\rx\n`.repeat(HUGE / 4_066)],
    ['line ends', '\r\n'.repeat(HUGE / 2)],
    ['digests alone', Array.from({ length: HUGE / 65 }, digestOf).join('\n')],
    ['digests of one file', Array.from({ length: HUGE / 65 }, digestOf).join(` ${FILE}\n`)],
  ])(
    'is not looked for longer than the text is: %s',
    (_, text) => {
      expect(digestsIn(text)).not.toContain(A)
    },
    2_000,
  )
})

function digestOf(_: unknown, index: number): string {
  return index.toString(16).padStart(64, '0')
}

describe('which files of a release have to say something', () => {
  const filesFor = (filename: string, others: readonly string[]) => {
    const [asset, ...assets] = [filename, ...others].map((name) => {
      return { id: name, filename: name, sizeBytes: 1, sha256: null }
    })
    if (asset === undefined) throw new Error('no asset')
    return checksumFilesFor(asset, [asset, ...assets])
  }

  test.each([
    'checksums.txt',
    'devx_1.2.3_checksums.txt',
    'checksums-sha256.txt',
    'checksums_sha256.txt',
    'devx_checksums_sha256.txt',
    'checksums.sha256',
    'checksums.sha256sum',
    'checksum.txt',
    'sha256-checksums.txt',
    'SHA256SUMS',
    'SHA256SUM',
    'SHA256SUMS.txt',
    'sha256sums.txt',
    'sha256sum.txt',
    'sha256.sum',
    'sha256.txt',
    'devx_1.2.3_sha256.txt',
    'SHASUMS256.txt',
    'devx_1.2.3_SHA256SUMS',
  ])('%s is of all', (name) => {
    expect(filesFor(FILE, [name])).toMatchObject([{ file: { filename: name }, isOwn: false }])
  })

  test.each(['.sha256', '.sha256sum', '.sha256.txt', '.sha256sum.txt', '.SHA256', '.sha-256'])(
    'beside it, with the ending %s, is of it alone',
    (ending) => {
      const name = `${FILE}${ending}`
      expect(filesFor(FILE, [name])).toMatchObject([{ file: { filename: name }, isOwn: true }])
      expect(filesFor('devx-linux-arm64', [FILE, name])).toStrictEqual([])
    },
  )

  test.each([
    `${FILE}.sig`,
    `${FILE}.sbom.json`,
    'devx-linux-arm64.sha256',
    'checksums.txt.sig',
    'checksums.txt.pem',
    'SHA256SUMS.asc',
    'SHA512SUMS',
    'checksums_sha512.txt',
    'notchecksums.txt',
  ])('%s is not', (name) => {
    expect(filesFor(FILE, [name])).toStrictEqual([])
  })
})
