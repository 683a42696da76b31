import { describe, expect, test } from 'bun:test'
import { createPublishedDigests } from '#src/lib/domain/cli/published-digests.ts'
import { parseRepositoryId } from '#src/lib/names.ts'
import type { GitFailure, ReleaseAsset, Releases } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { streamOf } from '#tests/support/assets.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const FILE = 'portico-linux-amd64'
const SOON_MS = 5_000
const LIST_MAX_BYTES = 256 * 1024

const assetOf = (filename: string, sizeBytes = 1): ReleaseAsset => ({
  id: filename,
  filename,
  sizeBytes,
  sha256: null,
})
const asset = assetOf(FILE)

/** A host with these files of checksums, and the ids of its requests. */
function open(texts: Readonly<Record<string, string>>) {
  const repository = parseRepositoryId('acme/cli')
  if (repository === undefined) throw new Error('no repository')
  const files = Object.entries(texts).map(([name, text]) => assetOf(name, Buffer.byteLength(text)))
  const host = { requests: [] as string[], failWith: undefined as GitFailure | undefined, now: 0 }
  const releases = {
    openAsset: (_: unknown, { id }: ReleaseAsset): ReturnType<Releases['openAsset']> => {
      host.requests.push(id)
      if (host.failWith !== undefined) return Promise.resolve(err(host.failWith))
      return Promise.resolve(ok(streamOf([Buffer.from(texts[id] ?? '')]).stream))
    },
  }
  const digests = createPublishedDigests(releases, repository, { now: () => host.now })
  const of = async (one = asset, among = [asset, ...files]): Promise<string | null> => {
    const found = await digests.of(one, among)
    return found.ok ? found.value : found.error.kind
  }
  return { host, files, of }
}

describe('what is published of a file', () => {
  test.each([
    ['nothing', {}, null],
    ['a list', { SHA256SUMS: `${A}  ${FILE}\n${B}  other\n` }, A],
    ['a list of another folder', { 'checksums.txt': `${A}  dist/${FILE}\n` }, A],
    ['a file beside it', { [`${FILE}.sha256`]: `${A}  build/${FILE}\n` }, A],
    ['both', { SHA256SUMS: `${A}  ${FILE}`, [`${FILE}.sha256`]: A }, A],
    [
      'lists of several programs',
      { 'agent_checksums.txt': `${B}  agent`, SHA256SUMS: `${A}  ${FILE}` },
      A,
    ],
    ['of another file', { 'other.txt.sha256': `${B}  other.txt` }, null],
  ])('%s', async (_, texts, digest) => {
    expect(await open(texts).of()).toBe(digest)
  })

  test.each([
    ['a list that leaves it out', { SHA256SUMS: `${A}  other\n` }],
    ['an empty list', { 'checksums.txt': '' }],
    ['a list of another algorithm', { 'checksums.txt': `${'a'.repeat(128)}  ${FILE}\n` }],
    ['a list in no known format', { 'sha256.txt': `Hash: ${A} Path: C:\\${FILE}\n` }],
    ['a file beside it that is of another', { [`${FILE}.sha256`]: `${A}  other\n` }],
    [
      'a file beside it that says nothing',
      { [`${FILE}.sha256`]: 'soon', SHA256SUMS: `${A}  ${FILE}` },
    ],
  ])('cannot be used: %s', async (_, texts) => {
    expect(await open(texts).of()).toBe('git_host_error')
  })

  test('contradicts itself: no folder makes another file of it', async () => {
    expect(await open({ SHA256SUMS: `${A}  ${FILE}\n${B}  old/${FILE}\n` }).of()).toBe(
      'checksums_disagree',
    )
  })

  test.each([Number.NaN, 1.5, -1, 2 ** 53, LIST_MAX_BYTES + 1])(
    'is not read when it has a size of %d',
    async (sizeBytes) => {
      const { host, of } = open({})
      expect(await of(asset, [asset, assetOf('SHA256SUMS', sizeBytes)])).toBe('git_host_error')
      if (sizeBytes > LIST_MAX_BYTES) expect(host.requests).toStrictEqual([])
    },
  )
})

describe('a file of checksums', () => {
  test('is read once, for any number of questions and files', async () => {
    const { host, files, of } = open({ SHA256SUMS: `${A}  ${FILE}\n${B}  other\n` })
    expect(await Promise.all([of(), of(), of(assetOf('other'), files)])).toMatchObject([A, A, B])
    host.now += 1e9
    expect(await of()).toBe(A)
    expect(host.requests).toStrictEqual(['SHA256SUMS'])
  })

  test('stays known among a thousand others', async () => {
    const { host, files, of } = open(
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, n) => [`${n}_checksums.txt`, `${A}  ${FILE}`]),
      ),
    )
    for (const file of [...files, ...files]) expect(await of(asset, [file])).toBe(A)
    expect(host.requests).toHaveLength(1_000)
  })

  test('is evicted when there is no room, the least recently used first', async () => {
    const filler = 'x\n'.repeat(LIST_MAX_BYTES / 2 - 100)
    const names = Array.from({ length: 40 }, (_, n) => `${n}_checksums.txt`)
    const { host, files, of } = open(
      Object.fromEntries(names.map((name) => [name, `${filler}${A}  ${FILE}`])),
    )
    const [first, second] = files
    if (first === undefined || second === undefined) throw new Error('no files')
    for (const file of files) {
      await of(asset, [file])
      await of(asset, [first])
    }
    expect(host.requests).toHaveLength(names.length)
    await of(asset, [second])
    expect(host.requests.at(-1)).toBe(second.id)
  })

  test('that could not be read is not requested again for some seconds', async () => {
    const { host, of } = open({ SHA256SUMS: `${A}  ${FILE}` })
    host.failWith = { kind: 'git_host_unreachable' }
    for (let time = 0; time < 3; time += 1) expect(await of()).toBe('git_host_unreachable')
    expect(host.requests).toHaveLength(1)
    host.failWith = undefined
    host.now += SOON_MS
    expect(await of()).toBe(A)
  })
})
