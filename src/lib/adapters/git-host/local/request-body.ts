import type { RunningGit } from './git.ts'

export type Delivery = 'delivered' | 'too_large' | 'broken'

/**
 * Hands a request's body to git's standard input as fast as git takes it, unpacked. Counting happens after unpacking, so
 * that a small body cannot become a large one; git gets no proper end of a body that was refused or broken off.
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
    // git closes its input when it has refused a push; if so, it has said why on its output.
    const ended = child.exitCode !== null
    if (!ended) stop()
    return ended ? 'delivered' : 'broken'
  }
}

const unzip = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  body.pipeThrough(new DecompressionStream('gzip'))
