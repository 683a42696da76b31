import type { FileHandle } from 'node:fs/promises'
import { BackupFailure } from './manifest.ts'

/**
 * A POSIX tar file (ustar) whose last member, `SHA256SUMS`, has the digest of each other one. `tar` and `sha256sum --check` read
 * it. A reader takes exactly the bytes that the writer makes: no links, no paths, no other owners, nothing behind the end.
 */

const BLOCK = 512
const READ_BYTES = 1024 * 1024
const SUMS = 'SHA256SUMS'
const NAME_BYTES_MAX = 100
/** Larger ones are in binary, as GNU tar has it. */
const OCTAL_MAX = 8 ** 11

type Bytes = string | Uint8Array

export function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, NAME_BYTES_MAX)
  header.write('0000600\0' + '0000000\0'.repeat(2), 100, 'latin1')
  if (size < OCTAL_MAX) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(`${'0'.repeat(11)}\0`, 136, 'latin1')
  header.write('        0', 148, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

const sumsText = (digests: ReadonlyMap<string, string>): string =>
  [...digests].map(([name, digest]) => `${digest}  ${name}\n`).join('')

export interface ArchiveWriter {
  readonly add: (name: string, parts: Iterable<Bytes> | AsyncIterable<Bytes>) => Promise<void>
  readonly finish: () => Promise<void>
}

/** Writes members one after another, each as it comes: its header is written when its size is known. */
export function writeArchive(file: FileHandle): ArchiveWriter {
  const digests = new Map<string, string>()
  let position = 0

  async function write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const done = await file.write(bytes, written, bytes.length - written, position + written)
      written += done.bytesWritten
    }
    position += bytes.length
  }

  async function add(name: string, parts: Iterable<Bytes> | AsyncIterable<Bytes>): Promise<void> {
    const start = position
    const hash = new Bun.CryptoHasher('sha256')
    position += BLOCK
    for await (const part of parts) {
      const bytes = Buffer.from(part)
      hash.update(bytes)
      await write(bytes)
    }
    const end = position
    const size = end - start - BLOCK
    position = start
    await write(headerOf(name, size))
    position = end
    await write(Buffer.alloc(paddingOf(size)))
    digests.set(name, hash.digest('hex'))
  }

  return {
    add,
    async finish() {
      await add(SUMS, [sumsText(digests)])
      await write(Buffer.alloc(2 * BLOCK))
    },
  }
}

export interface Member {
  readonly name: string
  /** Its content, once. What is left of it is read before the next member. */
  readonly content: AsyncGenerator<Buffer, void, void>
}

/** The members of an archive. After the last one every digest was compared; a consumer that has seen the end has seen a whole archive. */
export async function* readArchive(file: FileHandle): AsyncGenerator<Member, void, void> {
  const digests = new Map<string, string>()
  let position = 0

  async function read(length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) throw new BackupFailure('the file is cut off')
      filled += bytesRead
    }
    position += length
    return bytes
  }

  async function readZeros(length: number): Promise<void> {
    if ((await read(length)).some((byte) => byte !== 0)) throw damaged(position - length)
  }

  async function readHeader() {
    const header = await read(BLOCK)
    const name = header.toString('utf8', 0, Math.min(header.indexOf(0), NAME_BYTES_MAX))
    const size =
      header[124] === 0x80
        ? Number(header.readBigUInt64BE(128))
        : Number.parseInt(header.toString('latin1', 124, 135), 8)
    const isOurs = Number.isSafeInteger(size) && header.equals(headerOf(name, size))
    if (!isOurs || digests.has(name)) throw damaged(position - BLOCK)
    return { name, size }
  }

  async function* contentOf(name: string, size: number): AsyncGenerator<Buffer, void, void> {
    const hash = new Bun.CryptoHasher('sha256')
    for (let left = size; left > 0;) {
      const part = await read(Math.min(left, READ_BYTES))
      left -= part.length
      hash.update(part)
      yield part
    }
    await readZeros(paddingOf(size))
    digests.set(name, hash.digest('hex'))
  }

  for (;;) {
    const { name, size } = await readHeader()
    const content = contentOf(name, size)
    if (name === SUMS) {
      const expected = Buffer.from(sumsText(digests))
      // Never held whole in memory, whatever size the header declares.
      const isAsLong = size === expected.length
      if (!isAsLong || !Buffer.concat(await Array.fromAsync(content)).equals(expected)) {
        throw new BackupFailure('a digest is not that of its content: the file is damaged')
      }
      break
    }
    yield { name, content }
    for await (const _ of content);
  }
  await readZeros(2 * BLOCK)
  if (position !== (await file.stat()).size) throw damaged(position)
}

const damaged = (position: number) =>
  new BackupFailure(`the file is not a backup of Portico, or is damaged at byte ${position}`)
