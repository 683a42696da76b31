import { ObjectId } from '../../names.ts'
import type { KeptBytes, NotKept } from '../../ports/kept-bytes.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { packFiles } from './packed-files.ts'
import type { ParsedFile } from './parse-file.ts'
import type { SnapshotFile } from './snapshot.ts'
import { unpackFiles } from './unpack-files.ts'

/** What files were parsed to, by their content: a blob never says anything else. */
export interface KeptFiles {
  /** Of an earlier process that reads files as this one does. */
  recall(): Promise<ReadonlyMap<ObjectId, ParsedFile>>
  /** Soon, and not for every change. */
  remember(files: Iterable<SnapshotFile>): void
}

export interface KeptFilesOptions {
  readonly kept: KeptBytes
  readonly onNotKept: (failure: NotKept) => void
  readonly afterMs?: number
}

/** A push seldom comes alone. */
const AFTER_MS = 5_000

export function createKeptFiles({
  kept,
  onNotKept,
  afterMs = AFTER_MS,
}: KeptFilesOptions): KeptFiles {
  let files: Iterable<SnapshotFile> = []
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
    remember(now) {
      files = now
      timer ??= setTimeout(() => {
        timer = undefined
        saving = saving.then(save)
      }, afterMs).unref()
    },
  }
}

/** Sections of so many files each: three lengths of 32 bits, the ids of the blobs, and what the files were packed to. */
const SECTION_FILES = 256
const LENGTH_BYTES = 4
const LENGTHS = 3

async function* encode(files: Iterable<SnapshotFile>): AsyncGenerator<Uint8Array> {
  const pause = createTimeSlice()
  const written = new Set<ObjectId>()
  let begun: SnapshotFile[] = []
  for (const file of files) {
    if (written.has(file.blob) || wasGivenUp(file)) continue
    written.add(file.blob)
    begun.push(file)
    if (begun.length < SECTION_FILES) continue
    yield encodeSection(begun)
    begun = []
    await pause()
  }
  if (begun.length > 0) yield encodeSection(begun)
}

/** A machine that was busy may have time for it when it starts again. */
const wasGivenUp = ({ parsed }: SnapshotFile): boolean =>
  parsed.findings.some(({ code }) => code === 'yaml_too_slow')

function encodeSection(files: readonly SnapshotFile[]): Uint8Array {
  const { text, bytes } = packFiles(files.map(({ parsed }) => parsed))
  const parts = [Buffer.from(files.map(({ blob }) => blob).join('\n')), Buffer.from(text), bytes]
  const lengths = Buffer.alloc(LENGTHS * LENGTH_BYTES)
  for (const [index, { length }] of parts.entries()) {
    lengths.writeUInt32LE(length, index * LENGTH_BYTES)
  }
  return Buffer.concat([lengths, ...parts])
}

/** `undefined`: it is nothing that was written here. */
async function decode(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Map<ObjectId, ParsedFile> | undefined> {
  const pause = createTimeSlice()
  const files = new Map<ObjectId, ParsedFile>()
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = 0; start < buffer.length;) {
    const idsStart = start + LENGTHS * LENGTH_BYTES
    if (idsStart > buffer.length) return undefined
    const idsEnd = idsStart + buffer.readUInt32LE(start)
    const textEnd = idsEnd + buffer.readUInt32LE(start + LENGTH_BYTES)
    const end = textEnd + buffer.readUInt32LE(start + 2 * LENGTH_BYTES)
    if (end > buffer.length) return undefined
    const ids = buffer.toString('latin1', idsStart, idsEnd).split('\n')
    const parsed = unpackFiles(
      buffer.toString('utf8', idsEnd, textEnd),
      bytes.subarray(textEnd, end),
    )
    if (parsed?.length !== ids.length) return undefined
    for (const [index, file] of parsed.entries()) {
      const id = ObjectId.parse(ids[index])
      if (id === undefined) return undefined
      files.set(id, file)
    }
    start = end
    await pause()
  }
  return files
}
