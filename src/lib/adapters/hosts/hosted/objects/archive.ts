import { createTarDecoder } from 'modern-tar'
import { createTimeSlice } from '../../../../concurrency/time-slice.ts'
import { err, ok, type Result } from '../../../../result.ts'

export interface ArchiveSelection {
  /** Selects a file by its path, which is unchecked, and its size. */
  readonly wants: (path: string, sizeBytes: number) => boolean
  /** Upper bound of the whole archive, unpacked. */
  readonly unpackedMaxBytes: number
  /** Deadline of the whole reading, by default `DEADLINE_MS`. */
  readonly deadlineMs?: number
}

export interface ArchivedFile {
  /** Without the archive's top folder. */
  readonly path: string
  readonly executable: boolean
  readonly bytes: Uint8Array
}

const OWNER_EXECUTES = 0o100

/** Enough for the largest archive over a slow line. It also ends bodies without end, and streams that wait for ever. */
const DEADLINE_MS = 90_000

/** `broken`: cut off, damaged, or no `.tar.gz`. */
export type ArchiveFault = 'broken' | 'too_large' | 'timeout'

/**
 * The selected regular files of a `.tar.gz` of `git archive`. Holds one file at a time, and stops reading the body when the
 * caller stops. A fault is the last item; every file before it is whole, but may differ from the repository:
 * `.gitattributes` can leave files out of archives and change their bytes.
 */
export async function* readArchive(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { wants, unpackedMaxBytes, deadlineMs = DEADLINE_MS }: ArchiveSelection,
): AsyncGenerator<Result<ArchivedFile, ArchiveFault>, void, void> {
  let unpackedBytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      unpackedBytes += chunk.length
      if (unpackedBytes > unpackedMaxBytes) controller.error(new Error('too large'))
      else controller.enqueue(chunk)
    },
  })
  const fault = Promise.withResolvers<never>()
  fault.promise.catch(() => {})
  const deadline = AbortSignal.timeout(deadlineMs)
  deadline.addEventListener('abort', () => fault.reject(deadline.reason))
  const orFault = <Value>(work: Promise<Value>) => Promise.race([work, fault.promise])
  const entries = watched(body, fault.reject)
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(counter)
    // Without `strict`, an archive that is cut between two files counts as whole.
    .pipeThrough(createTarDecoder({ strict: true }))
    .getReader()
  const pause = createTimeSlice()
  try {
    for (;;) {
      const next = await orFault(entries.read())
      if (next.done) return
      const { header, body: content } = next.value
      await pause()
      const path = header.name.slice(header.name.indexOf('/') + 1)
      if (header.type === 'file' && wants(path, header.size)) {
        const executable = ((header.mode ?? 0) & OWNER_EXECUTES) !== 0
        const bytes = await orFault(new Response(content).bytes())
        yield ok({ path, executable, bytes })
      } else {
        // Drained, not cancelled: in Bun a cancelled entry can stop the streams before it for ever.
        await orFault(content.pipeTo(new WritableStream()))
      }
    }
  } catch {
    if (unpackedBytes > unpackedMaxBytes) yield err('too_large')
    else yield err(deadline.aborted ? 'timeout' : 'broken')
  } finally {
    void entries.cancel().catch(() => {})
  }
}

/** The same body, whose error `onFault` gets at once: in Bun it can get lost on its way through piped streams, whose reader waits for ever. */
function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onFault: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        controller.error(error)
        onFault(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
