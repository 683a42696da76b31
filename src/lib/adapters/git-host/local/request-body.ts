import { err, ok, type Result } from '../../../result.ts'

export type BodyFault = 'too_large' | 'stalled' | 'broken'

export interface RequestBody {
  /** The next bytes; `null` at the end. Nothing can be read after a fault. */
  read(): Promise<Result<Uint8Array | null, BodyFault>>
}

interface BodyLimits {
  /** Holds for decompressed bytes, against decompression bombs. */
  readonly bytesMax: number
  /** How long a client may send nothing. */
  readonly patienceMs: number
}

/** A request's body, decompressed. */
export function openBody(
  request: Request,
  encoding: 'gzip' | 'identity',
  { bytesMax, patienceMs }: BodyLimits,
): RequestBody {
  const sent: ReadableStream<Uint8Array<ArrayBuffer>> = request.body ?? new Blob([]).stream()
  const plain: ReadableStream<Uint8Array> =
    encoding === 'gzip' ? sent.pipeThrough(new DecompressionStream('gzip')) : sent
  const reader = plain.getReader()
  let bytes = 0

  async function read(): Promise<Result<Uint8Array | null, BodyFault>> {
    try {
      const part = await within(patienceMs, reader.read())
      if (part === 'late') return err('stalled')
      if (part.done) return ok(null)
      bytes += part.value.length
      return bytes > bytesMax ? err('too_large') : ok(part.value)
    } catch {
      return err('broken')
    }
  }

  return {
    async read() {
      const part = await read()
      // Its failure says nothing new: the client left, or the rest is no gzip either.
      if (!part.ok) void reader.cancel().catch(() => {})
      return part
    },
  }
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
