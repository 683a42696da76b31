import { Sha256 } from '#src/lib/names.ts'

export const sha256Of = (bytes: Uint8Array): Sha256 =>
  Sha256.of(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))

/** Bytes that differ at every position and for every seed. */
export function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = seed
  for (let index = 0; index < words.length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    words[index] = state
  }
  return new Uint8Array(words.buffer, 0, length).slice()
}

export interface TestStream {
  readonly stream: ReadableStream<Uint8Array>
  /** Whether the reader cancelled it. */
  readonly isCancelled: () => boolean
}

/** A stream of copies of the chunks. */
export function streamOf(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  end: 'close' | 'error' | 'never' = 'close',
): TestStream {
  const rest = each(chunks)
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await rest.next()
        if (done !== true) return controller.enqueue(value.slice())
        if (end === 'close') controller.close()
        if (end === 'error') controller.error(new Error('the network is gone'))
        if (end === 'never') await new Promise(() => {})
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, isCancelled: () => cancelled }
}

async function* each(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
  yield* chunks
}
