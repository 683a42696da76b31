import { parseJson } from '../../text/json.ts'
import type { ParsedFile } from './parse-file.ts'
import type { ParseAnswer, ParseRequest } from './parser-worker.ts'
import { FILE_BYTES_MAX, fileFinding } from './problem.ts'

/** Processor time that the parser may take for one file. Ordinary files take well under a millisecond. */
const FILE_DEADLINE_MS = 1_000
/** How often the watchdog checks during a deadline. */
const CHECKS_PER_DEADLINE = 4
/** How long a thread may take to begin with its first file. */
const THREAD_START_MS = 10_000
const NOT_BEGUN = -1
const IDLE_MS = 2_000
const CLOSED = 'the parser of catalog files is closed'

/**
 * Parses untrusted catalog files off the event loop. A file that hangs or kills the parser gets a finding. `parse` rejects
 * when the parser is closed or cannot have a thread, since no file is to blame for that.
 */
export interface CatalogParser {
  /** Starts the thread ahead of need. */
  warm(): void
  /**
   * One answer per file, in the order of the files. When the time is used up, files have none; the one that has used it up has its
   * finding, so that the next call gets further. The bytes are copied.
   */
  parse(files: readonly Uint8Array[], time?: ParsingTime): Promise<ParsedFiles>
  /** For good: pending files reject. */
  close(): void
}

/** By the index of the file. */
export type ParsedFiles = readonly (ParsedFile | undefined)[]

/** Processor time of the parser for several calls. The parser takes what it uses. */
export interface ParsingTime {
  leftMs: number
}

export interface CatalogParserOptions {
  /** Known lifecycles, in lower case. Any other one gets the warning `lifecycle_unknown`. */
  readonly lifecycles: readonly string[]
  readonly fileDeadlineMs?: number
  /** Processor time of all threads but this one. */
  readonly usedMs?: () => number
}

interface Batch {
  readonly id: number
  readonly files: readonly Uint8Array[]
  readonly time: ParsingTime
  readonly resolve: (parsed: ParsedFiles) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** In the executable every module is one file, and the worker keeps its path below `src/` (`scripts/build.ts`). */
const WORKER_URL = import.meta.url.endsWith('/parser.ts')
  ? new URL('./parser-worker.ts', import.meta.url)
  : new URL('./lib/domain/catalog/parser-worker.js', import.meta.url)

/** One worker thread, which parses one batch after the other and is stopped when idle to free its memory. */
export function createCatalogParser({
  lifecycles,
  fileDeadlineMs = FILE_DEADLINE_MS,
  usedMs = usedByOtherThreadsMs,
}: CatalogParserOptions): CatalogParser {
  let thread: Thread | undefined
  let lastId = 0
  let idle: Timer | undefined
  let watchdog: Timer | undefined
  let isClosed = false
  const queue: Batch[] = []

  function startThread(): Thread {
    clearTimeout(idle)
    if (thread !== undefined) return thread
    const worker = new Worker(WORKER_URL.href, { smol: true })
    const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const started: Thread = { worker, progress }
    worker.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
      const batch = queue[0]
      if (started !== thread || batch?.id !== data.batch) return
      queue.shift()
      batch.time.leftMs -= data.tookMs
      const files = parseJson(data.files)
      if (isParsed(files)) batch.resolve(files)
      else batch.reject(new Error('the answer of the parser cannot be read'))
      parseNext()
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (started === thread) abandonFile('the parser stopped at this file')
    })
    thread = started
    return started
  }

  function stopThread() {
    clearInterval(watchdog)
    clearTimeout(idle)
    thread?.worker.terminate()
    thread = undefined
  }

  function parseNext() {
    clearInterval(watchdog)
    const batch = queue[0]
    if (batch === undefined) {
      idle = setTimeout(stopThread, IDLE_MS)
      idle.unref()
      return
    }
    if (batch.time.leftMs <= 0) {
      queue.shift()
      batch.resolve([])
      parseNext()
      return
    }
    const { worker, progress } = startThread()
    Atomics.store(progress, 0, NOT_BEGUN)
    watch(progress)
    // One byte over the limit is enough for the parser to refuse a file.
    const files = batch.files.map((file) => file.subarray(0, FILE_BYTES_MAX + 1))
    const request: ParseRequest = {
      batch: batch.id,
      bytes: Buffer.concat(files),
      sizes: files.map(({ length }) => length),
      lifecycles,
      timeMs: batch.time.leftMs,
      progress: progress.buffer,
    }
    worker.postMessage(request, [])
  }

  /** Busy machines and suspended processes cost no file: its deadline is processor time. The thread's start is counted in checks. */
  function watch(progress: Int32Array<SharedArrayBuffer>) {
    let seen = NOT_BEGUN
    let usedBefore = 0
    let checks = 0
    watchdog = setInterval(() => {
      const current = Atomics.load(progress, 0)
      if (current !== seen) {
        seen = current
        usedBefore = usedMs()
        return
      }
      checks += 1
      const isLate =
        current === NOT_BEGUN
          ? checks * fileDeadlineMs > THREAD_START_MS * CHECKS_PER_DEADLINE
          : usedMs() - usedBefore > fileDeadlineMs
      if (isLate) abandonFile(`reading this file took longer than ${fileDeadlineMs} ms`)
    }, fileDeadlineMs / CHECKS_PER_DEADLINE)
  }

  /** Gives up the current file, and parses the others of its batch again in a new thread. */
  function abandonFile(message: string) {
    const batch = queue.shift()
    const current = thread === undefined ? NOT_BEGUN : Atomics.load(thread.progress, 0)
    stopThread()
    if (batch === undefined) return
    if (current === NOT_BEGUN) {
      batch.reject(new Error('the thread that parses catalog files does not start'))
    } else {
      batch.time.leftMs -= fileDeadlineMs
      const findings = [fileFinding('yaml_too_slow', message)]
      const abandoned: ParsedFile = { entities: [], findings }
      queue.unshift({
        ...batch,
        id: ++lastId,
        files: batch.files.toSpliced(current, 1),
        resolve(parsed) {
          const before = batch.files.slice(0, current).map((_, index) => parsed[index])
          batch.resolve([...before, abandoned, ...parsed.slice(current)])
        },
      })
    }
    parseNext()
  }

  return {
    warm() {
      if (isClosed) return
      startThread()
      if (queue.length === 0) parseNext()
    },
    parse(files, time = { leftMs: Number.POSITIVE_INFINITY }) {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new Error(CLOSED)
        queue.push({ id: ++lastId, files, time, resolve, reject })
        if (queue.length === 1) parseNext()
      })
    },
    close() {
      isClosed = true
      stopThread()
      for (const { reject } of queue.splice(0)) reject(new Error(CLOSED))
    },
  }
}

/** The thread runs our own code, so that members need no check. It answers JSON: a structured clone would take twice as long. */
const isParsed = (files: unknown): files is readonly ParsedFile[] => Array.isArray(files)

/** An upper bound of what the parser uses, which no other thread can ask for. */
function usedByOtherThreadsMs(): number {
  const all = process.cpuUsage()
  const own = process.threadCpuUsage()
  return (all.user + all.system - own.user - own.system) / 1_000
}
