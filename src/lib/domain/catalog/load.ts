import type { ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost, ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { KeptFiles } from './kept-files.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX, fileTooLarge } from './problem.ts'
import type { CatalogParser } from './parser.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { buildSnapshot, isCatalogFile, type Snapshot } from './snapshot.ts'

/** Size of a portion: large enough to be cheap, small enough that git reads and the parser parses at the same time. */
const PORTION_FILES = 256
const PORTION_BYTES = 512 * 1024
/** Bounds the unparsed files in memory: git is faster than the parser. */
const PORTIONS_PENDING_MAX = 64
const FILES_MAX = 200_000

export type LoadFailure =
  | GitFailure
  /** The branch has lost all its entities, which is more often an accident than an intention. */
  | { readonly kind: 'catalog_empty' }
  | { readonly kind: 'catalog_too_large'; readonly files: number }
  /** The parser has no thread. `reason` is for the log. */
  | { readonly kind: 'catalog_parser_failed'; readonly reason: string }

/** Whether the previous snapshot may be served although it was invalidated. */
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
  const listing = listed.value
  if (previous !== undefined && previous.tree === listing.tree) return ok({ ...previous, commit })

  const parsed = await parsedBlobs(previous, await recalling)
  const unread = new Map<ObjectId, ListedFile>()
  let count = 0
  await visitInSlices(listing.files, createTimeSlice(), (file) => {
    if (!isCatalogFile(file.path)) return
    count++
    if (!parsed.has(file.blob)) unread.set(file.blob, file)
  })
  if (count > FILES_MAX) return err({ kind: 'catalog_too_large', files: count })

  const reading = gitHost.readFiles(repository, commit, [...unread.values()], FILE_BYTES_MAX)
  const failure = await readAndParse(reading, parser, parsed)
  if (failure !== undefined) return err(failure)
  if (!unread.keys().every((blob) => parsed.has(blob))) {
    return err({ kind: 'git_host_error', reason: 'files are missing' })
  }
  const snapshot = await buildSnapshot(commit, listing, parsed, previous)
  if (unread.size > 0) kept.remember(snapshot.files)
  const isEmptied = snapshot.entities.length === 0 && (previous?.entities.length ?? 0) > 0
  return isEmptied ? err({ kind: 'catalog_empty' }) : ok(snapshot)
}

/** Starts the parser's thread when nothing can be recalled. */
async function recallOrWarm(
  kept: KeptFiles,
  parser: CatalogParser,
): ReturnType<KeptFiles['recall']> {
  const recalled = await kept.recall()
  if (recalled.size === 0) parser.warm()
  return recalled
}

/** Parsed files by blob, from the previous snapshot and from an earlier process. */
async function parsedBlobs(
  previous: Snapshot | undefined,
  recalled: ReadonlyMap<ObjectId, ParsedFile> | undefined,
): Promise<Map<ObjectId, ParsedFile>> {
  const known = new Map(recalled)
  await visitInSlices(previous?.files.values() ?? [], createTimeSlice(), ({ blob, parsed }) => {
    known.set(blob, parsed)
  })
  return known
}

/** Parses in portions while git delivers, and adds the files to `parsed`. */
async function readAndParse(
  files: ReturnType<GitHost['readFiles']>,
  parser: CatalogParser,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<LoadFailure | undefined> {
  const pending: Promise<void>[] = []
  let portion: UnparsedFile[] = []
  let bytes = 0
  const parsePending = async () => {
    if (pending.length >= PORTIONS_PENDING_MAX) await pending.shift()
    const parsing = parsePortion(portion, parser, parsed)
    // When the host fails first, nobody awaits the portion any more.
    parsing.catch(() => undefined)
    pending.push(parsing)
    portion = []
    bytes = 0
  }
  try {
    for await (const file of files) {
      if (!file.ok) return file.error
      const { blob, bytes: content } = file.value
      if (content === null) {
        parsed.set(blob, oversized)
        continue
      }
      portion.push({ blob, content })
      bytes += content.length
      if (portion.length >= PORTION_FILES || bytes >= PORTION_BYTES) await parsePending()
    }
    if (portion.length > 0) await parsePending()
    await Promise.all(pending)
    return undefined
  } catch (error) {
    return { kind: 'catalog_parser_failed', reason: String(error) }
  }
}

interface UnparsedFile {
  readonly blob: ObjectId
  readonly content: Uint8Array
}

async function parsePortion(
  portion: readonly UnparsedFile[],
  parser: CatalogParser,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<void> {
  const files = await parser.parse(portion.map(({ content }) => content))
  for (const [index, { blob }] of portion.entries()) {
    const file = files[index]
    if (file !== undefined) parsed.set(blob, file)
  }
}

const oversized: ParsedFile = { entities: [], findings: [fileTooLarge] }
