import type { RunningGit } from './git.ts'

export type Delivery = 'delivered' | 'too_large' | 'broken'

/**
 * Writes a request's body, decompressed, to git's standard input as fast as git reads it. The limit holds for decompressed
 * bytes, against decompression bombs; the input of a refused or broken body is never ended, so that git discards it.
 */
export async function deliverBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: 'gzip' | 'identity',
  { child, stop }: RunningGit<'pipe'>,
  bytesMax: number,
): Promise<Delivery> {
  let bytes = 0
  try {
    for await (const part of encoding === 'gzip' ? unzip(body) : body) {
      bytes += part.length
      if (bytes > bytesMax) {
        stop()
        return 'too_large'
      }
      void child.stdin.write(part)
      await child.stdin.flush()
    }
    await child.stdin.end()
    return 'delivered'
  } catch {
    // Git closes its input when it refuses a push, and says why on its output.
    const hasEnded = child.exitCode !== null
    if (!hasEnded) stop()
    return hasEnded ? 'delivered' : 'broken'
  }
}

const unzip = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  body.pipeThrough(new DecompressionStream('gzip'))
