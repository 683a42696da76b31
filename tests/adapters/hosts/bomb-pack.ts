import { deflateSync } from 'node:zlib'

const BLOB = 3
const OFFSET_DELTA = 6
const STEP_BYTES = 0xffff

interface Bomb {
  readonly deltas: number
  readonly copies: number
  /** Bytes of the first object. */
  readonly first?: number
}

/**
 * A pack (gitformat-pack(5)) of small deltas. Each copies the beginning of the object before it again and again, so that a few
 * bytes unpack to very many. Deltas build on each other, so that all of them are unpacked to know the last.
 */
export function bombPack({ deltas, copies, first = STEP_BYTES }: Bomb): Buffer {
  const parts: Buffer[] = []
  let at = 12
  const add = (part: Buffer) => {
    const start = at
    parts.push(part)
    at += part.length
    return start
  }
  let base = add(entry(BLOB, Buffer.alloc(first, 'x')))
  let size = first
  for (let count = 0; count < deltas; count += 1) {
    const copy = [0x80 | 0x30, STEP_BYTES & 255, STEP_BYTES >> 8]
    const result = STEP_BYTES * copies + 1
    const copied = Array.from({ length: copies }, () => copy).flat()
    const delta = Buffer.from([...varint(size), ...varint(result), ...copied, 1, count & 255])
    base = add(entry(OFFSET_DELTA, delta, offsetTo(at - base)))
    size = result
  }
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(parts.length, 8)
  const pack = Buffer.concat([head, ...parts])
  return Buffer.concat([pack, new Bun.CryptoHasher('sha1').update(pack).digest()])
}

/** A type and a size of at least sixteen bytes share the first byte. */
function entry(type: number, bytes: Buffer, base: Buffer = Buffer.alloc(0)): Buffer {
  const first = 0x80 | (type << 4) | (bytes.length & 15)
  const head = Buffer.from([first, ...varint(bytes.length >> 4)])
  return Buffer.concat([head, base, deflateSync(bytes)])
}

/** Seven bits a byte, the lowest first. */
const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 127) | 0x80, ...varint(value >> 7)]

function offsetTo(distance: number): Buffer {
  const bytes = [distance & 127]
  for (let rest = distance >> 7; rest > 0; rest >>= 7) {
    rest -= 1
    bytes.unshift(0x80 | (rest & 127))
  }
  return Buffer.from(bytes)
}
