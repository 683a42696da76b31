import { inTime } from '../../../concurrency/in-time.ts'
import type { RunningGit } from '../../../git/git.ts'
import { err, ok, type Result } from '../../../result.ts'

/** `malformed`: no git client has written it. */
export type BodyFault = 'too_large' | 'stalled' | 'broken' | 'malformed'

export interface RequestBody {
  /** The next bytes; `null` at the end. Nothing can be read after a fault. */
  read(): Promise<Result<Uint8Array | null, BodyFault>>
}

interface BodyLimits {
  /** Holds for decompressed bytes, against decompression bombs. */
  readonly bytesMax: number
  /** Longest time in which a client sends nothing. */
  readonly patienceMs: number
  /** For the whole body: a client can stay within its patience with one byte at a time. */
  readonly deadlineMs: number
}

/** A request's body, decompressed. */
export function openBody(
  request: Request,
  encoding: 'gzip' | 'identity',
  { bytesMax, patienceMs, deadlineMs }: BodyLimits,
): RequestBody {
  const sent: ReadableStream<Uint8Array<ArrayBuffer>> = request.body ?? new Blob([]).stream()
  const plain: ReadableStream<Uint8Array> =
    encoding === 'gzip' ? sent.pipeThrough(new DecompressionStream('gzip')) : sent
  const reader = plain.getReader()
  const endsAt = performance.now() + deadlineMs
  let bytes = 0

  async function read(): Promise<Result<Uint8Array | null, BodyFault>> {
    try {
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) return err('stalled')
      const part = await inTime(reader.read(), Math.min(patienceMs, leftMs), null)
      if (part === null) return err('stalled')
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

const ENDING_MS = 10_000

/**
 * Writes what was read already and the rest of a request's body to git's standard input, as fast as git reads it. The input of a
 * refused or broken body is never ended, so that git discards it.
 */
export async function deliverBody(
  beginning: Uint8Array,
  body: RequestBody,
  git: RunningGit<'pipe'>,
): Promise<Result<void, BodyFault>> {
  const { stdin } = git.child
  let part: Uint8Array | null = beginning
  while (part !== null) {
    const written = part
    const isTaken = await reaches(() => Promise.all([stdin.write(written), stdin.flush()]))
    if (!isTaken) return ended(git)
    const next = await body.read()
    if (!next.ok) {
      git.stop()
      return next
    }
    part = next.value
  }
  return (await reaches(() => stdin.end())) ? ok(undefined) : ended(git)
}

/** Fails when git has ended. */
const reaches = (work: () => unknown): Promise<boolean> =>
  Promise.try(work).then(
    () => true,
    () => false,
  )

/** Git closes its input when it refuses a push, says why on its output, and ends. */
async function ended({ child, endWithin }: RunningGit<'pipe'>): Promise<Result<void, BodyFault>> {
  endWithin(ENDING_MS)
  await child.exited
  return child.exitCode === null ? err('broken') : ok(undefined)
}
