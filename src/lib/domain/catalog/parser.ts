import { concat } from './packed-files.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX, fileFinding } from './problem.ts'
import { unpackFiles } from './unpack-files.ts'
import type { ParseAnswer, ParseRequest } from './parser-worker.ts'

/** How long one file may take before it is given up. Ordinary files take well under a millisecond. */
const FILE_DEADLINE_MS = 1_000
/** How often the deadline is looked at while it lasts. */
const LOOKS = 4
/** A thread that has not begun with its first file by then never will. */
const THREAD_START_MS = 10_000
const NOT_BEGUN = -1
const IDLE_MS = 2_000

/**
 * Parses untrusted catalog files off the event loop. A file that hangs or kills the parser is a finding; what rejects is
 * a parser that is closed or that cannot have a thread, since no file is to blame for that.
 */
export interface CatalogParser {
  /** Starts a thread ahead of need. */
  warm(): void
  /** One answer per file, in the order of the files. The bytes are copied. */
  parse(files: readonly Uint8Array[]): Promise<readonly ParsedFile[]>
  /** For good. What is not parsed yet rejects. */
  close(): void
}

const CLOSED = 'the parser of catalog files is closed'

interface Job {
  readonly batch: number
  readonly files: readonly Uint8Array[]
  readonly done: (parsed: readonly ParsedFile[]) => void
  readonly fail: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly progress: Int32Array<SharedArrayBuffer>
}

export interface CatalogParserOptions {
  /** Another one is a warning, `lifecycle_unknown`. In lower case. */
  readonly lifecycles: readonly string[]
  readonly fileDeadlineMs?: number
}

/** In the executable every module is one file, and the worker keeps its path below `src/` (`scripts/build.ts`). */
const WORKER_URL = import.meta.url.endsWith('/parser.ts')
  ? new URL('./parser-worker.ts', import.meta.url)
  : new URL('./lib/domain/catalog/parser-worker.js', import.meta.url)

/**
 * One worker thread, started when needed and stopped when idle, since its memory is worth more than its start.
 * Batches queue; the thread works on the first one.
 */
export function createCatalogParser({
  lifecycles,
  fileDeadlineMs = FILE_DEADLINE_MS,
}: CatalogParserOptions): CatalogParser {
  let thread: Thread | undefined
  let batches = 0
  let idle: Timer | undefined
  let watchdog: Timer | undefined
  let isClosed = false
  const queue: Job[] = []

  function start(): Thread {
    clearTimeout(idle)
    if (thread !== undefined) return thread
    const worker = new Worker(WORKER_URL.href, { smol: true })
    const started: Thread = {
      worker,
      progress: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    }
    worker.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
      const job = queue[0]
      if (started !== thread || job?.batch !== data.batch) return
      const { text, bytes } = data.packed
      const files = unpackFiles(text, bytes)
      queue.shift()
      if (files === undefined) job.fail(new Error('the answer of the parser cannot be read'))
      else job.done(files)
      next()
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (started === thread) abandon('the parser stopped at this file')
    })
    thread = started
    return started
  }

  function stop() {
    clearInterval(watchdog)
    clearTimeout(idle)
    thread?.worker.terminate()
    thread = undefined
  }

  function next() {
    clearInterval(watchdog)
    const job = queue[0]
    if (job === undefined) {
      idle = setTimeout(stop, IDLE_MS)
      idle.unref()
      return
    }
    const { worker, progress } = start()
    Atomics.store(progress, 0, NOT_BEGUN)
    watch(progress)
    // Of a file that is over the limit only so much that the parser sees it is.
    const files = job.files.map((file) => file.subarray(0, FILE_BYTES_MAX + 1))
    const bytes = concat(files)
    const request: ParseRequest = {
      batch: job.batch,
      bytes,
      sizes: files.map(({ length }) => length),
      lifecycles,
      progress: progress.buffer,
    }
    worker.postMessage(request, [bytes.buffer])
  }

  /** Counts looks, not time: a process that was stopped for a minute must not hold that against the file at work. */
  function watch(progress: Int32Array<SharedArrayBuffer>) {
    let seen = NOT_BEGUN
    let looks = 0
    watchdog = setInterval(() => {
      const at = Atomics.load(progress, 0)
      looks = at === seen ? looks + 1 : 0
      seen = at
      const patienceMs = at === NOT_BEGUN ? THREAD_START_MS : fileDeadlineMs
      if (looks > (patienceMs / fileDeadlineMs) * LOOKS) {
        abandon(`reading this file took longer than ${fileDeadlineMs} ms`)
      }
    }, fileDeadlineMs / LOOKS)
  }

  /** Gives up the file at work and does the others of its batch again, in a new thread. */
  function abandon(message: string) {
    const job = queue.shift()
    const at = thread === undefined ? NOT_BEGUN : Atomics.load(thread.progress, 0)
    stop()
    if (job === undefined) return
    if (at === NOT_BEGUN) {
      job.fail(new Error('the thread that parses catalog files does not start'))
      next()
      return
    }
    const abandoned: ParsedFile = {
      entities: [],
      findings: [fileFinding('yaml_too_slow', message)],
    }
    const others = job.files.toSpliced(at, 1)
    queue.unshift({
      ...job,
      batch: ++batches,
      files: others,
      done: (parsed) => job.done(parsed.toSpliced(at, 0, abandoned)),
    })
    next()
  }

  return {
    warm() {
      if (isClosed) return
      start()
      if (queue.length === 0) next()
    },
    parse(files) {
      return new Promise((done, fail) => {
        if (isClosed) throw new Error(CLOSED)
        queue.push({ batch: ++batches, files, done, fail })
        if (queue.length === 1) next()
      })
    },
    close() {
      isClosed = true
      stop()
      for (const { fail } of queue.splice(0)) fail(new Error(CLOSED))
    },
  }
}
