import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../lib/logging/log.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { type ReadFile, watchFiles } from '../lib/settings/watched-files.ts'
import { describeMistake, type FileMistake } from '../lib/yaml/strict-file.ts'

export interface EntryFileOptions<Entry> {
  readonly path: string
  /** Name of the file in the log, such as `cluster registry`. */
  readonly name: string
  /** `readFile` reads a file that the text names. */
  readonly parse: (
    text: string,
    readFile: ReadFile,
  ) => Result<readonly Entry[], readonly FileMistake[]>
  /** Facts of the log line about a change. */
  readonly facts: (entries: readonly Entry[]) => object
  readonly log: Pick<Log['events'], 'info' | 'error'>
  readonly pollEveryMs?: number
}

export interface OpenEntries<Entry> {
  readonly entries: () => readonly Entry[]
  close(): void
}

/**
 * The entries of a file of the operator. Polls it and the files that it names. A changed file replaces all entries; one with a
 * mistake is reported and the entries stay.
 * @returns every mistake, as lines of `path:line:column: message`, if the file cannot be used at the start
 */
export function openEntryFile<Entry>({
  path,
  name,
  parse,
  facts,
  log,
  ...polling
}: EntryFileOptions<Entry>): Result<OpenEntries<Entry>, readonly string[]> {
  const watched = watchFiles({
    ...polling,
    read(readFile) {
      const text = readFile(path)
      if (!text.ok) return err([`${path} cannot be read (${text.error})`])
      const parsed = parse(text.value, readFile)
      return parsed.ok ? parsed : err(parsed.error.map((each) => describeMistake(path, each)))
    },
    onChanged(found) {
      entries = keepingEqual(entries, found)
      log.info(facts(entries), `${name} changed`)
    },
    onBroken: (mistakes) => log.error({ mistakes }, `${name} is broken, the old one stays`),
  })
  if (!watched.ok) return watched
  let entries = watched.value.value
  return ok({ entries: () => entries, close: () => watched.value.close() })
}

/** Health, streams and caches are keyed by the object of an entry: an unchanged entry stays the same object. */
const keepingEqual = <Entry>(before: readonly Entry[], now: readonly Entry[]): readonly Entry[] =>
  now.map((entry) => before.find((old) => isDeepStrictEqual(old, entry)) ?? entry)
