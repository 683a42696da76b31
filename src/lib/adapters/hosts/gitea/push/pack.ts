import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { GitObject } from '../../hosted/objects/git-objects.ts'

/** Types of objects in a packfile (gitformat-pack(5)). */
const TYPES = { commit: 1, tree: 2, blob: 3 } as const
const VERSION = 2
const compress = promisify<Uint8Array, Buffer>(deflate)

/** A packfile of whole objects, without deltas. Each object is written once, however often it is given. */
export async function packOf(objects: readonly GitObject[]): Promise<Uint8Array<ArrayBuffer>> {
  const distinct = [...new Map(objects.map((object) => [object.id, object])).values()]
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(VERSION, 4)
  head.writeUInt32BE(distinct.length, 8)
  const parts: Uint8Array[] = [head]
  for (const { kind, content } of distinct) {
    parts.push(entryHead(TYPES[kind], content.length), await compress(content))
  }
  const body = Buffer.concat(parts)
  const trailer = new Bun.CryptoHasher('sha1').update(body).digest()
  return Buffer.concat([body, trailer])
}

/** Type and size: three bits of type and four of size, then seven bits of size per byte, the lowest first. */
function entryHead(type: number, size: number): Uint8Array {
  const bytes = [(type << 4) | (size & 0b1111)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest % 128)
  }
  return Uint8Array.from(bytes)
}
