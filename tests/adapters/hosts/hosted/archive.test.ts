import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import {
  type ArchiveSelection,
  readArchive,
} from '#src/lib/adapters/hosts/hosted/objects/archive.ts'
import { RepositoryPath } from '#src/lib/names.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'

const BYTES_MAX = 64 * 1024 * 1024
const everything: ArchiveSelection = { wants: () => true, unpackedMaxBytes: BYTES_MAX }

const segment = fc
  .string({ unit: fc.constantFrom(...'abZ09-_. ~'.split('')), minLength: 1, maxLength: 120 })
  .filter((text) => RepositoryPath.parse(text) !== undefined && !text.startsWith('-'))
const content = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 2_000 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 511, max: 70_000 }).map((n) => new Uint8Array(n).fill(7)),
  },
)
/** Files of a repository by path; no path is a folder of another. */
const trees = fc
  .array(fc.tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), content), {
    minLength: 1,
    maxLength: 12,
  })
  .map((entries) => {
    const files = new Map<string, Uint8Array>()
    for (const [parts, bytes] of entries) {
      const path = parts.join('/')
      const isFree = [...files.keys()].every(
        (other) => !`${other}/`.startsWith(`${path}/`) && !`${path}/`.startsWith(`${other}/`),
      )
      if (isFree) files.set(path, bytes)
    }
    return files
  })

/** The archive that GitHub makes: a global header with the commit, and a top folder. */
async function archiveOf(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const directory = await mkdtemp(join(tmpdir(), 'archive-'))
  try {
    await Promise.all([...files].map(([path, bytes]) => Bun.write(join(directory, path), bytes)))
    const git = (...args: readonly string[]) =>
      Bun.$`git -C ${directory} ${args}`.env(gitEnvironment(directory)).quiet().arrayBuffer()
    await git('init', '--quiet')
    await git('add', '--all', '--force')
    await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=x')
    const made = await git('archive', '--format=tar.gz', '--prefix=acme-gitops-0123abc/', 'HEAD')
    return new Uint8Array(made)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function unpacks(packed: Uint8Array<ArrayBuffer>, plain: Buffer): boolean {
  try {
    return plain.equals(gunzipSync(packed))
  } catch {
    return false
  }
}

const streamOf = (bytes: Uint8Array<ArrayBuffer>, chunkBytes = 1_000) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        controller.enqueue(bytes.slice(at, at + chunkBytes))
      }
      controller.close()
    },
  })

async function outcomeOf(
  archive: Uint8Array<ArrayBuffer> | ReturnType<typeof streamOf>,
  selection = everything,
) {
  const files = new Map<string, Uint8Array>()
  const body = archive instanceof ReadableStream ? archive : streamOf(archive)
  for await (const read of readArchive(body, selection)) {
    if (!read.ok) return { files, fault: read.error }
    files.set(read.value.path, read.value.bytes)
  }
  return { files, fault: null }
}

const sorted = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files].map(([path, bytes]) => `${path} ${Buffer.from(bytes).toString('hex')}`).toSorted()

describe('an archive', () => {
  test('gives every file of a tree back, whatever its name and size', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (files) => {
        const { files: read, fault } = await outcomeOf(await archiveOf(files))
        expect(fault).toBeNull()
        expect(sorted(read)).toStrictEqual(sorted(files))
      }),
      { numRuns: 25 },
    )
  })

  test('that is cut anywhere is broken, compressed or not', async () => {
    const whole = await archiveOf(
      new Map(['a', 'b/c', 'd'].map((path) => [path, new Uint8Array(700).fill(1)])),
    )
    const plain = Bun.gunzipSync(whole)
    const end = plain.findLastIndex((byte) => byte !== 0)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(end), async (compressed, unpacked) => {
        expect((await outcomeOf(whole.slice(0, compressed))).fault).toBe('broken')
        const cut = Bun.gzipSync(plain.slice(0, unpacked))
        expect((await outcomeOf(cut)).fault).toBe('broken')
      }),
    )
    // Between two files, where a reader without a check sees a shorter archive.
    for (let blocks = 0; blocks * 512 <= end; blocks += 1) {
      const cut = Bun.gzipSync(plain.slice(0, blocks * 512))
      expect((await outcomeOf(cut)).fault).toBe('broken')
    }
  })

  test('whose bytes were changed is broken', async () => {
    const whole = await archiveOf(new Map([['a', new Uint8Array(300).fill(1)]]))
    const plain = Buffer.from(Bun.gunzipSync(whole))
    for (let at = 12; at < whole.length; at += 1) {
      const changed = whole.slice()
      changed[at] = (changed[at] ?? 0) ^ 0xff
      // Deflate can write the same bytes in several ways: a run may be copied from another distance.
      if (unpacks(changed, plain)) continue
      expect((await outcomeOf(changed)).fault).toBe('broken')
    }
  })

  test('of which only some files are wanted gives those', async () => {
    const files = new Map(['a', 'b/c', 'd'].map((path) => [path, new Uint8Array(600)]))
    const seen: (readonly [string, number])[] = []
    const { files: read } = await outcomeOf(await archiveOf(files), {
      ...everything,
      wants: (path: string, sizeBytes: number) => {
        seen.push([path, sizeBytes])
        return path === 'b/c'
      },
    })
    expect([...read.keys()]).toStrictEqual(['b/c'])
    expect(seen).toStrictEqual([
      ['a', 600],
      ['b/c', 600],
      ['d', 600],
    ])
  })

  test('ends when most of its files are skipped, whatever the size of its chunks', async () => {
    const paths = Array.from({ length: 600 }, (_, i) => `services/s${i}/base/kustomization.yaml`)
    const random = () => crypto.getRandomValues(new Uint8Array(900))
    const archive = await archiveOf(new Map(paths.map((path) => [path, random()])))
    const wanted = new Set(paths.filter((_, i) => i % 7 === 0))
    for (const chunkBytes of [1_400, 4_096, 16_384, 65_536]) {
      const read = await outcomeOf(streamOf(archive, chunkBytes), {
        ...everything,
        wants: (path) => wanted.has(path),
      })
      expect(read.fault).toBeNull()
      expect(new Set(read.files.keys())).toStrictEqual(wanted)
    }
  })

  test('that never ends is given up at the deadline', async () => {
    const archive = await archiveOf(new Map([['a', new Uint8Array(10)]]))
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(archive.slice(0, -20)),
    })
    const { fault } = await outcomeOf(body, { ...everything, deadlineMs: 20 })
    expect(fault).toBe('timeout')
  })

  test('larger than the limit ends there, without being held', async () => {
    const archive = await archiveOf(new Map([['zeros', new Uint8Array(8 * 1024 * 1024)]]))
    expect(archive.length).toBeLessThan(20_000)
    const wanted = await outcomeOf(archive, { wants: () => true, unpackedMaxBytes: 100_000 })
    expect(wanted).toStrictEqual({ files: new Map(), fault: 'too_large' })
    const skipped = await outcomeOf(archive, { wants: () => false, unpackedMaxBytes: 100_000 })
    expect(skipped.fault).toBe('too_large')
  })

  test('that is no archive is broken', async () => {
    const page = new TextEncoder().encode('<html>sign in</html>')
    for (const bytes of [new Uint8Array(), page, Bun.gzipSync(page)]) {
      expect(await outcomeOf(new Uint8Array(bytes))).toStrictEqual({
        files: new Map(),
        fault: 'broken',
      })
    }
  })

  test('is no longer read when its reader stops', async () => {
    const archive = await archiveOf(
      new Map([
        ['a', new Uint8Array(10)],
        ['b', crypto.getRandomValues(new Uint8Array(60_000))],
      ]),
    )
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>()
    let position = 0
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        controller.enqueue(archive.slice(position, (position += 100)))
      },
      cancel,
    })
    for await (const read of readArchive(body, everything)) {
      expect(read.ok && read.value.path).toBe('a')
      break
    }
    await cancelled
    expect(position).toBeLessThan(archive.length)
  })
})
