import type { FileHandle } from 'node:fs/promises'

const BATCH_BYTES = 256 * 1024

export type BatchFile = Pick<FileHandle, 'write'>

/**
 * Writes to a file in large pieces, from two buffers that are used again and again: one is on its way to the disk while the
 * other is filled. What the disk refuses is thrown by a later call.
 */
export function createBatchWriter(file: BatchFile) {
  let filling = new Uint8Array(BATCH_BYTES)
  let leaving = new Uint8Array(BATCH_BYTES)
  let length = 0
  let position = 0
  let writing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    await writing
    const batch = filling.subarray(0, length)
    writing = writeAll(file, batch, position)
    // Waited for by whoever comes next; nobody may come.
    writing.catch(() => {})
    position += length
    length = 0
    ;[filling, leaving] = [leaving, filling]
  }

  return {
    /** Takes as much as there is room for, as a copy, and says how many bytes; with none left, `flush` makes room. */
    take(bytes: Uint8Array): number {
      const part = bytes.subarray(0, BATCH_BYTES - length)
      filling.set(part, length)
      length += part.length
      return part.length
    },
    isFull: (): boolean => length === BATCH_BYTES,
    flush,
    async end(): Promise<void> {
      await flush()
      await writing
    },
    /** When nothing is on its way any more, whatever came of it. */
    idle: (): Promise<void> => writing.catch(() => {}),
  }
}

async function writeAll(file: BatchFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(
      bytes,
      written,
      bytes.length - written,
      position + written,
    )
    written += bytesWritten
  }
}
