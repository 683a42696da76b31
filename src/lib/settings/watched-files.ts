import { readFileSync, statSync } from 'node:fs'
import { err, ok, type Result } from '../result.ts'

/** Polled: a mounted ConfigMap changes through a symbolic link further up, which file watching does not notice. */
const POLL_EVERY_MS = 10_000

/** The text of a file, or the code of the error. */
export type FileText = Result<string, string>
export type ReadFile = (path: string) => FileText

export interface WatchedFilesOptions<Value> {
  /** Reads the value of the files, or reports every mistake. Files are read through `readFile`, which notes them. */
  readonly read: (readFile: ReadFile) => Result<Value, readonly string[]>
  readonly onChanged: (value: Value) => void
  /** The files have a mistake and the value stays. Called once for the same mistakes. */
  readonly onBroken: (mistakes: readonly string[]) => void
  readonly pollEveryMs?: number
}

/**
 * Reads a value from files, and again whenever one of them changes, until `close`.
 * @returns every mistake if the files cannot be used at the start
 */
export function watchFiles<Value>({
  read,
  onChanged,
  onBroken,
  pollEveryMs = POLL_EVERY_MS,
}: WatchedFilesOptions<Value>): Result<
  { readonly value: Value; close(): void },
  readonly string[]
> {
  const first = readNoting(read)
  if (!first.value.ok) return err(first.value.error)
  let { seen } = first
  let reported = ''

  const timer = setInterval(() => {
    const isUnchanged = [...seen].every(([file, text]) => sameText(readText(file), text))
    // A mistake can end without a change: a certificate becomes valid.
    if (isUnchanged && reported === '') return
    const found = readNoting(read)
    seen = found.seen
    if (found.value.ok) {
      reported = ''
      onChanged(found.value.value)
    } else if (reported !== found.value.error.join()) {
      reported = found.value.error.join()
      onBroken(found.value.error)
    }
  }, pollEveryMs)
  timer.unref()

  return ok({ value: first.value.value, close: () => clearInterval(timer) })
}

/** `seen` has every file that was read: the value changes only with one of them. */
function readNoting<Value>(read: WatchedFilesOptions<Value>['read']) {
  const seen = new Map<string, FileText>()
  const value = read((file) => {
    // Read once, so that one reading sees one text of a file.
    const text = seen.get(file) ?? readText(file)
    seen.set(file, text)
    return text
  })
  return { value, seen }
}

const sameText = (one: FileText, other: FileText): boolean =>
  one.ok ? other.ok && one.value === other.value : !other.ok && one.error === other.error

/** Certificates, keys and tokens are far smaller. */
const FILE_MAX_BYTES = 16 * 1024 * 1024

/** The process waits for the file: a pipe without a writer would never end, nor would a device. */
export const readText: ReadFile = (path) => {
  try {
    const found = statSync(path)
    if (!found.isFile() && !found.isDirectory()) return err('not a file')
    if (found.size > FILE_MAX_BYTES) return err(`more than ${FILE_MAX_BYTES} bytes`)
    return ok(readFileSync(path, 'utf8'))
  } catch (error) {
    return err(error instanceof Error && 'code' in error ? String(error.code) : 'unreadable')
  }
}
