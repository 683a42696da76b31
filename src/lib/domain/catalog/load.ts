import type { ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost, ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { compareListings } from './changes.ts'
import type { KeptFiles } from './kept-files.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX, fileTooLarge } from './problem.ts'
import type { CatalogParser } from './parser.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { buildSnapshot, type Snapshot } from './snapshot.ts'

/** Files go to the parser in portions: large enough to be cheap, small enough to be read and parsed side by side. */
const PORTION_FILES = 256
const PORTION_BYTES = 512 * 1024
/** Read and not parsed yet. Git is faster than the parser. */
const PORTIONS_PENDING_MAX = 64
const FILES_MAX = 200_000

export type LoadFailure =
  | GitFailure
  /** The branch has no entities any more. Taken for an accident, as long as there is a snapshot to keep. */
  | { readonly kind: 'catalog_empty' }
  | { readonly kind: 'catalog_too_large'; readonly files: number }
  /** There was no thread to parse in. `reason` is for the log. */
  | { readonly kind: 'catalog_parser_failed'; readonly reason: string }

/** Whether a failure says that the repository could not be read, and not that it says something else now. */
export const isOutage = ({ kind }: LoadFailure): boolean => OUTAGES.has(kind)

const OUTAGES: ReadonlySet<LoadFailure['kind']> = new Set([
  'git_host_unreachable',
  'git_host_timeout',
  'git_rate_limited',
  'catalog_empty',
  'catalog_parser_failed',
])

export interface CatalogSource {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>
  readonly repository: RepositoryId
  readonly directory: RepositoryPath
  readonly parser: CatalogParser
  /** What an earlier process parsed. */
  readonly kept: KeptFiles
}

/**
 * Brings a snapshot up to date: the head commit, then the tree, then only the blobs that are not known yet.
 * All or nothing: with any failure the previous snapshot stays what it was.
 */
export async function loadSnapshot(
  { gitHost, repository, directory, parser, kept }: CatalogSource,
  previous: Snapshot | undefined,
): Promise<Result<Snapshot, LoadFailure>> {
  const recalling = previous === undefined ? recallOrWarm(kept, parser) : undefined
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  const { commit } = head.value
  if (previous?.commit === commit) return ok(previous)

  if (previous !== undefined) parser.warm()
  const listed = await gitHost.listFiles(repository, { commit, directory })
  if (!listed.ok) return listed
  if (previous !== undefined && previous.listing.tree === listed.value.tree)
    return ok({ ...previous, commit })

  const changes = await compareListings(listed.value, previous?.listing)
  const count = (previous?.files.size ?? 0) - changes.gone.size + changes.changed.length
  if (count > FILES_MAX) return err({ kind: 'catalog_too_large', files: count })

  const wanted = await byBlob(changes.changed)
  const recalled = (await recalling) ?? new Map<ObjectId, ParsedFile>()
  const parsed = await parsedBefore(wanted, previous, recalled)
  const unparsed = [...wanted.values()].filter(({ blob }) => !parsed.has(blob))
  const reading = gitHost.readFiles(repository, commit, unparsed, FILE_BYTES_MAX)
  const failure = await readAndParse(reading, parser, parsed)
  if (failure !== undefined) return err(failure)
  if (wanted.size > parsed.size) return err({ kind: 'git_host_error', reason: 'files are missing' })
  const snapshot = await buildSnapshot(commit, changes, parsed, previous)
  if (unparsed.length > 0) kept.remember(snapshot.files.values())
  const hasEmptied = snapshot.entities.length === 0 && (previous?.entities.length ?? 0) > 0
  return hasEmptied ? err({ kind: 'catalog_empty' }) : ok(snapshot)
}

/** One file for each blob: the same content at two paths is read once. */
async function byBlob(listed: readonly ListedFile[]): Promise<ReadonlyMap<ObjectId, ListedFile>> {
  const files = new Map<ObjectId, ListedFile>()
  await visitInSlices(listed, createTimeSlice(), (file) => {
    files.set(file.blob, file)
  })
  return files
}

/** Where nothing can be recalled there is much to parse. */
async function recallOrWarm(
  kept: KeptFiles,
  parser: CatalogParser,
): ReturnType<KeptFiles['recall']> {
  const recalled = await kept.recall()
  if (recalled.size === 0) parser.warm()
  return recalled
}

/** Content that only moved was parsed before, and all of it perhaps by an earlier process. */
async function parsedBefore(
  changed: ReadonlyMap<ObjectId, ListedFile>,
  previous: Snapshot | undefined,
  recalled: ReadonlyMap<ObjectId, ParsedFile>,
): Promise<Map<ObjectId, ParsedFile>> {
  const known = new Map<ObjectId, ParsedFile>()
  await visitInSlices(changed.keys(), createTimeSlice(), (blob) => {
    const file = recalled.get(blob)
    if (file !== undefined) known.set(blob, file)
  })
  await visitInSlices(previous?.files.values() ?? [], createTimeSlice(), ({ blob, parsed }) => {
    if (changed.has(blob)) known.set(blob, parsed)
  })
  return known
}

/**
 * Adds to `parsed` while git delivers, some portions behind: what is not parsed yet is all that is held of the
 * repository.
 */
async function readAndParse(
  files: ReturnType<GitHost['readFiles']>,
  parser: CatalogParser,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<LoadFailure | undefined> {
  const pending: Promise<void>[] = []
  try {
    for await (const portion of portions(files)) {
      if (!portion.ok) return portion.error
      for (const blob of portion.value.oversized) parsed.set(blob, oversized)
      if (pending.length >= PORTIONS_PENDING_MAX) await pending.shift()
      const parsing = parsePortion(portion.value, parser, parsed)
      // The host may fail first, and then nobody waits for this any more.
      parsing.catch(() => undefined)
      pending.push(parsing)
    }
    await Promise.all(pending)
    return undefined
  } catch (error) {
    return { kind: 'catalog_parser_failed', reason: String(error) }
  }
}

interface Portion {
  readonly blobs: readonly ObjectId[]
  readonly contents: readonly Uint8Array[]
  readonly oversized: readonly ObjectId[]
}

async function* portions(
  files: ReturnType<GitHost['readFiles']>,
): AsyncGenerator<Result<Portion, GitFailure>, void, void> {
  let blobs: ObjectId[] = []
  let contents: Uint8Array[] = []
  let oversized: ObjectId[] = []
  let bytes = 0
  for await (const file of files) {
    if (!file.ok) return yield file
    if (file.value.bytes === null) {
      oversized.push(file.value.blob)
      continue
    }
    blobs.push(file.value.blob)
    contents.push(file.value.bytes)
    bytes += file.value.bytes.length
    if (blobs.length < PORTION_FILES && bytes < PORTION_BYTES) continue
    yield ok({ blobs, contents, oversized })
    blobs = []
    contents = []
    oversized = []
    bytes = 0
  }
  if (blobs.length + oversized.length > 0) yield ok({ blobs, contents, oversized })
}

async function parsePortion(
  { blobs, contents }: Portion,
  parser: CatalogParser,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<void> {
  if (blobs.length === 0) return
  const answers = await parser.parse(contents)
  for (const [index, blob] of blobs.entries()) {
    const file = answers[index]
    if (file !== undefined) parsed.set(blob, file)
  }
}

const oversized: ParsedFile = { entities: [], findings: [fileTooLarge] }
