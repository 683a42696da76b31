import { describe, expect, test } from 'bun:test'
import { checksumFilesFor, digestsIn } from '#src/lib/domain/cli/checksums.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const FILE = 'devx-linux-amd64'

describe('what a text says of a file', () => {
  test.each([
    ['sha256sum', `${B}  other\n${A}  ${FILE}\n`],
    ['sha256sum --binary', `${A} *${FILE}\n`],
    ['sha256sum with paths', `${A}  ./${FILE}\n`],
    ['upper case and line ends of Windows', `${A.toUpperCase()}  ${FILE}\r\n${B}  other\r\n`],
    ['the digest alone', `${A}\n`],
    ['BSD', `SHA256 (other) = ${B}\nSHA256 (${FILE}) = ${A}\n`],
    ['openssl dgst', `SHA2-256(${FILE})= ${A}\n`],
    ['without an end of line', `${A}  ${FILE}`],
    ['twice the same', `${A}  ${FILE}\n${A}  ${FILE}\n`],
  ])('%s', (_, text) => {
    expect(digestsIn(text, FILE)).toStrictEqual([A] as never)
  })

  test.each([
    ['other files', `${A}  ${FILE}.sbom.json\n${A}  x${FILE}\n${A}  dist/${FILE}\n`],
    ['another algorithm', `${'a'.repeat(128)}  ${FILE}\n${'a'.repeat(40)}  ${FILE}\n`],
    ['no digest', `${'g'.repeat(64)}  ${FILE}\n`],
    ['a page', `<html>${A}</html>`],
    ['nothing', ''],
  ])('%s say nothing', (_, text) => {
    expect(digestsIn(text, FILE)).toStrictEqual([])
  })

  test('a contradiction is shown as one', () => {
    expect(digestsIn(`${A}  ${FILE}\n${B}  ${FILE}\n`, FILE)).toStrictEqual([A, B] as never)
  })
})

test('which files of a release may say something', () => {
  const names = [
    FILE,
    `${FILE}.sha256`,
    `${FILE}.sha256sum`,
    `${FILE}.sig`,
    'devx-linux-arm64.sha256',
    'devx_1.2.3_checksums.txt',
    'checksums.txt',
    'checksums.txt.sig',
    'SHA256SUMS',
    'sha256sums.txt',
    'sha256.sum',
    'SHASUMS256.txt',
    'devx_1.2.3_SHA256SUMS',
    'SHA512SUMS',
    'notchecksums.txt',
  ]
  const assets = names.map((filename) => ({ id: filename, filename, sizeBytes: 1, sha256: null }))
  const [asset = assets[0]] = assets
  if (asset === undefined) throw new Error('no asset')
  expect(checksumFilesFor(asset, assets).map(({ filename }) => filename)).toStrictEqual([
    `${FILE}.sha256`,
    `${FILE}.sha256sum`,
    'devx_1.2.3_checksums.txt',
    'checksums.txt',
    'SHA256SUMS',
    'sha256sums.txt',
    'sha256.sum',
    'SHASUMS256.txt',
    'devx_1.2.3_SHA256SUMS',
  ])
})
