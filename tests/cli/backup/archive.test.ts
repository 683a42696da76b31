import { expect, test } from 'bun:test'
import type { FileHandle } from 'node:fs/promises'
import { headerOf, readArchive, writeArchive } from '#src/cli/backup/archive.ts'

const PART = 1024 * 1024

/** A file in memory that counts the bytes of each read and write. */
function countedFile() {
  let bytes = Buffer.alloc(0)
  const sizes: number[] = []
  const file = {
    async write(source: Uint8Array, offset: number, length: number, position: number) {
      sizes.push(length)
      if (position + length > bytes.length) {
        bytes = Buffer.concat([bytes, Buffer.alloc(position + length - bytes.length)])
      }
      bytes.set(source.subarray(offset, offset + length), position)
      return { bytesWritten: length }
    },
    async read(target: Uint8Array, offset: number, length: number, position: number) {
      sizes.push(length)
      return { bytesRead: bytes.copy(target, offset, position, position + length) }
    },
    stat: async () => ({ size: bytes.length }),
  }
  return { file: file as unknown as FileHandle, sizes, written: () => bytes.length }
}

test('of a member of any size a part is held, and the next one is asked for when it is written', async () => {
  const { file, sizes, written } = countedFile()
  const archive = writeArchive(file)
  await archive.add(
    'git/000001.bundle',
    (async function* () {
      for (let part = 0; part < 8; part++) {
        expect(written()).toBe(part === 0 ? 0 : 512 + part * PART)
        yield Buffer.alloc(PART, part)
      }
    })(),
  )
  await archive.finish()
  sizes.length = 0
  let parts = 0
  for await (const { content } of readArchive(file)) {
    for await (const part of content) {
      parts += 1
      // The header, and the parts so far: nothing is read ahead.
      expect(sizes).toStrictEqual([512, ...Array.from({ length: parts }, () => PART)])
      expect(part.length).toBe(PART)
    }
  }
  expect(parts).toBe(8)
})

test('sizes beyond what octal digits hold are as GNU tar has them', () => {
  const header = headerOf('git/000001.bundle', 10 * 1024 ** 3)
  expect([header[124], Number(header.readBigUInt64BE(128))]).toStrictEqual([0x80, 10 * 1024 ** 3])
})
