import { FILE_BYTES_MAX, type ParsedFile } from './parse-file.ts'
import type { ParseAnswer, ParseRequest } from './parser-worker.ts'

/** How long one file may take before it is given up. Ordinary files take well under a millisecond. */
const FILE_DEADLINE_MS = 1_000
/** A thread that has not begun with its first file by then never will. */
const THREAD_START_MS = 10_000
const NOT_BEGUN = -1
const IDLE_MS = 30_000

/** Parses untrusted catalog files off the event loop. Never fails: a file that hangs or kills the parser is a finding. */
export interface CatalogParser {
  /** Starts the thread ahead of need. */
  warm(): void
  /** One answer per file, in the order of the files. The bytes are copied. */
  parse(files: readonly Uint8Array[]): Promise<readonly ParsedFile[]>
  close(): void
}

interface Job {
  readonly batch: number
  readonly files: readonly Uint8Array[]
  readonly done: (parsed: readonly ParsedFile[]) => void
}

interface Thread {
  readonly worker: Worker
  readonly progress: Int32Array<SharedArrayBuffer>
}

/**
 * One worker thread, started when needed and stopped when idle, since its memory is worth more than its start.
 * Batches queue; the thread works on the first one.
 */
export function createCatalogParser({ fileDeadlineMs = FILE_DEADLINE_MS } = {}): CatalogParser {
  let thread: Thread | undefined
  let batches = 0
  let idle: Timer | undefined
  let watchdog: Timer | undefined
  const queue: Job[] = []

  function start(): Thread {
    clearTimeout(idle)
    if (thread !== undefined) return thread
    const worker = new Worker(new URL('./parser-worker.ts', import.meta.url).href, { smol: true })
    const started: Thread = {
      worker,
      progress: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    }
    worker.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
      const job = queue[0]
      if (started !== thread || job?.batch !== data.batch) return
      queue.shift()
      job.done(data.files)
      next()
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (started === thread) abandonFile('the parser stopped at this file')
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
    const bytes = concat(job.files)
    const request: ParseRequest = {
      batch: job.batch,
      bytes,
      sizes: job.files.map(({ length }) => Math.min(length, FILE_BYTES_MAX + 1)),
      progress: progress.buffer,
    }
    worker.postMessage(request, [bytes.buffer])
  }

  function watch(progress: Int32Array<SharedArrayBuffer>) {
    let seen = -1
    let since = performance.now()
    watchdog = setInterval(() => {
      const at = Atomics.load(progress, 0)
      if (at !== seen) {
        seen = at
        since = performance.now()
      } else if (
        performance.now() - since >
        (at === NOT_BEGUN ? THREAD_START_MS : fileDeadlineMs)
      ) {
        abandonFile(`reading this file took longer than ${fileDeadlineMs} ms`)
      }
    }, fileDeadlineMs / 4)
  }

  /** Gives up the file at work and does the others of its batch again, in a new thread. */
  function abandonFile(message: string) {
    const job = queue.shift()
    const at = thread === undefined ? 0 : Math.max(0, Atomics.load(thread.progress, 0))
    stop()
    if (job === undefined) return
    const abandoned: ParsedFile = {
      entities: [],
      findings: [
        { severity: 'error', code: 'yaml_too_slow', line: null, column: null, ref: null, message },
      ],
    }
    const others = job.files.toSpliced(at, 1)
    queue.unshift({
      batch: ++batches,
      files: others,
      done: (parsed) => job.done(parsed.toSpliced(at, 0, abandoned)),
    })
    next()
  }

  return {
    warm() {
      start()
      if (queue.length === 0) next()
    },
    parse(files) {
      return new Promise((done) => {
        queue.push({ batch: ++batches, files, done })
        if (queue.length === 1) next()
      })
    },
    close: stop,
  }
}

/** One buffer that can change hands. Of a file that is over the limit only so much that the parser sees it is. */
function concat(files: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts = files.map((file) => file.subarray(0, FILE_BYTES_MAX + 1))
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let start = 0
  for (const part of parts) {
    all.set(part, start)
    start += part.length
  }
  return all
}
