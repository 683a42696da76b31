import type { ObjectId } from '../../names.ts'
import type { KeptBytes, NotKept } from '../../ports/kept-bytes.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import type { ParsedFile } from './parse-file.ts'
import { readSnapshotFiles } from './parsed-files.ts'
import type { Snapshot } from './snapshot.ts'

/** Parsed files by the ids of their blobs, kept for the next process. */
export interface KeptFiles {
  /** Empty when an earlier process kept nothing, or parsed files differently. */
  recall(): Promise<ReadonlyMap<ObjectId, ParsedFile>>
  /** Schedules a write. Calls within the delay become one write, of the files of the last call. */
  remember(files: Snapshot['files']): void
}

export interface KeptFilesOptions {
  readonly kept: KeptBytes
  readonly onNotKept: (failure: NotKept) => void
  readonly delayMs?: number
}

/** Pushes come in groups: one write for all of them. */
const DELAY_MS = 5_000

export function createKeptFiles({
  kept,
  onNotKept,
  delayMs = DELAY_MS,
}: KeptFilesOptions): KeptFiles {
  let files: Snapshot['files'] = new Map()
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()

  async function save(): Promise<void> {
    const outcome = await kept.keep(encode(files))
    if (!outcome.ok) onNotKept(outcome.error)
  }

  return {
    async recall() {
      const bytes = await kept.read()
      return (bytes === null ? undefined : await decode(bytes)) ?? new Map()
    },
    remember(latest) {
      files = latest
      timer ??= setTimeout(() => {
        timer = undefined
        saving = saving.then(save)
      }, delayMs).unref()
    },
  }
}

const FILES_PER_LINE = 256
const LINE_FEED = 0x0a

/** JSON lines, each a list of files. */
async function* encode(files: Snapshot['files']): AsyncGenerator<Uint8Array> {
  const pause = createTimeSlice()
  const distinct = [...new Map([...files.values()].map((file) => [file.blob, file])).values()]
  const lasting = distinct.filter(({ parsed }) => !wasAbandoned(parsed))
  for (let start = 0; start < lasting.length; start += FILES_PER_LINE) {
    yield Buffer.from(`${JSON.stringify(lasting.slice(start, start + FILES_PER_LINE))}\n`)
    await pause()
  }
}

/** The machine may have been busy: the next process tries again. */
const wasAbandoned = ({ findings }: ParsedFile): boolean =>
  findings.some(({ code }) => code === 'yaml_too_slow')

/** `undefined` when the bytes were not written by `encode`. */
async function decode(bytes: Uint8Array): Promise<Map<ObjectId, ParsedFile> | undefined> {
  const pause = createTimeSlice()
  const files = new Map<ObjectId, ParsedFile>()
  const decoder = new TextDecoder()
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end < 0) return undefined
    const line = readSnapshotFiles(decoder.decode(bytes.subarray(start, end)))
    if (line === undefined) return undefined
    for (const { blob, parsed } of line) files.set(blob, parsed)
    start = end + 1
    await pause()
  }
  return files
}
