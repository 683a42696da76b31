import { createTimeSlice } from '../../concurrency/time-slice.ts'
import type { ObjectId, RepositoryPath } from '../../names.ts'
import type { KeptBytes, NotKept } from '../../ports/kept-bytes.ts'
import { isObject, parseJson } from '../../text/json.ts'
import type { Omission } from './left-out.ts'
import type { ParsedFile } from './parse-file.ts'
import type { Snapshot, SnapshotFile, SnapshotSource } from './snapshot.ts'

/** The last snapshot with its parsed files, kept for the next process. */
export interface KeptFiles {
  /** Parsed files by the ids of their blobs. Empty when an earlier process kept nothing, or parsed files differently. */
  recall(): Promise<ReadonlyMap<ObjectId, ParsedFile>>
  /** The snapshot of an earlier process of the same repository, to be built again. */
  restore(): Promise<KeptSnapshot | undefined>
  /** Schedules a write of a snapshot that has other files. Calls within the delay become one write, of the last call. */
  remember(snapshot: Snapshot): void
  /** Schedules a note that the last snapshot was right at a time. */
  confirm(at: number): void
}

export interface KeptSnapshot {
  readonly source: SnapshotSource
  readonly parsed: ReadonlyMap<ObjectId, ParsedFile>
  /** When a load last said that it was right, in milliseconds since the Unix epoch. */
  readonly loadedAt: number
}

export interface KeptFilesOptions {
  readonly kept: KeptBytes
  /** Identifies a commit of the repository. A snapshot of another one is not restored; its parsed files are good. */
  readonly pageOf: (commit: ObjectId) => string
  readonly directory: RepositoryPath
  readonly onNotKept: (failure: NotKept) => void
  readonly delayMs?: number
}

/** Pushes come in groups: one write for all of them. */
const DELAY_MS = 5_000

export function createKeptFiles({
  kept,
  pageOf,
  directory,
  onNotKept,
  delayMs = DELAY_MS,
}: KeptFilesOptions): KeptFiles {
  let latest: Snapshot | undefined
  let isWritten = true
  /** Page of a commit that an earlier process kept whole: it need not be written again. */
  let keptPage: string | undefined
  let confirmedAt: number | undefined
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()

  async function save(): Promise<void> {
    if (!isWritten && latest !== undefined) {
      isWritten = true
      const outcome = await kept.keep(encode(latest, pageOf(latest.commit), directory))
      if (!outcome.ok) {
        isWritten = false
        return onNotKept(outcome.error)
      }
    }
    const outcome = confirmedAt === undefined ? undefined : await kept.confirm(confirmedAt)
    if (outcome?.ok === false) onNotKept(outcome.error)
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      saving = saving.then(save)
    }, delayMs).unref()
  }

  async function read() {
    const content = await kept.read()
    const decoded = content === null ? undefined : await decode(content.bytes)
    if (content === null || decoded === undefined) return undefined
    const { head } = decoded
    const isWhole = head.leftOut.length === 0 && head.directory === directory
    keptPage = isWhole ? head.page : undefined
    return { ...content, ...decoded }
  }

  return {
    recall: async () => (await read())?.parsed ?? new Map(),
    async restore() {
      const found = await read()
      if (found === undefined) return undefined
      const { head, listed, parsed } = found
      if (head.page !== pageOf(head.commit) || head.directory !== directory) return undefined
      const leftOut = new Map<RepositoryPath, Omission>(head.leftOut)
      const source = { ...head, leftOut, files: listed, directory, weights: new Map() }
      return { source, parsed, loadedAt: found.confirmedAt }
    },
    remember(snapshot) {
      if (snapshot.files === latest?.files) return
      latest = snapshot
      isWritten = pageOf(snapshot.commit) === keptPage
      keptPage = undefined
      schedule()
    },
    confirm(at) {
      confirmedAt = at
      schedule()
    },
  }
}

const FILES_PER_LINE = 256
const LINE_FEED = 0x0a

interface Head {
  readonly page: string
  readonly directory: string
  readonly commit: ObjectId
  readonly tree: ObjectId | null
  readonly skipped: Snapshot['skipped']
  readonly leftOut: readonly (readonly [RepositoryPath, Omission])[]
}

interface LastingFile extends SnapshotFile {
  readonly paths: readonly RepositoryPath[]
}

/** JSON lines: the head, then lists of files, each content once. */
async function* encode(
  { commit, tree, skipped, leftOut, files }: Snapshot,
  page: string,
  directory: RepositoryPath,
): AsyncGenerator<Uint8Array> {
  const pause = createTimeSlice()
  const byBlob = Map.groupBy(files, ([, { blob }]) => blob)
  const omitted = new Map(leftOut)
  const lasting: LastingFile[] = []
  for (const same of byBlob.values()) {
    const paths = same.map(([path]) => path)
    const [[, file] = []] = same
    if (file === undefined || wasAbandoned(file.parsed)) {
      for (const path of paths) omitted.set(path, 'file_pending')
    } else lasting.push({ ...file, paths })
  }
  const line = (content: Head | readonly LastingFile[]) =>
    Buffer.from(`${JSON.stringify(content)}\n`)
  yield line({ page, directory, commit, tree, skipped, leftOut: [...omitted] })
  for (let start = 0; start < lasting.length; start += FILES_PER_LINE) {
    yield line(lasting.slice(start, start + FILES_PER_LINE))
    await pause()
  }
}

/** The machine may have been busy: the next process tries again. */
const wasAbandoned = ({ findings }: ParsedFile): boolean =>
  findings.some(({ code }) => code === 'yaml_too_slow')

/**
 * `undefined` when the bytes break off. Members are not checked: the digest of the bytes says that the same code wrote them, and a
 * schema for each file would take a tenth of a restart.
 */
async function decode(bytes: Uint8Array) {
  const pause = createTimeSlice()
  const decoder = new TextDecoder()
  const parsed = new Map<ObjectId, ParsedFile>()
  const listed: { path: RepositoryPath; blob: ObjectId }[] = []
  let head: Head | undefined
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start)
    const line = end < 0 ? undefined : parseJson(decoder.decode(bytes.subarray(start, end)))
    if (head === undefined) {
      if (!isHead(line)) return undefined
      head = line
    } else {
      if (!isFiles(line)) return undefined
      for (const { blob, paths, parsed: file } of line) {
        parsed.set(blob, file)
        for (const path of paths) listed.push({ path, blob })
      }
    }
    start = end + 1
    await pause()
  }
  return head && { head, listed, parsed }
}

const isHead = (line: unknown): line is Head => isObject(line)
const isFiles = (line: unknown): line is readonly LastingFile[] => Array.isArray(line)
