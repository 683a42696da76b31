import type { ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { FileListing, GitFailure, GitHost, Head, ListedFile } from '../../ports/git-host.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { err, ok, type Result } from '../../result.ts'
import { admit, inFairOrder } from './admission.ts'
import type { KeptFiles } from './kept-files.ts'
import type { LeftOut, Omission } from './left-out.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX } from './problem.ts'
import type { CatalogParser } from './parser.ts'
import { isUsedUp, readAndParse } from './read-files.ts'
import { buildSnapshot, isCatalogFile, type Snapshot } from './snapshot.ts'
import { expectedWeight, weightOf } from './weight.ts'

/** Bounds of a catalog. What is beyond them is left out, and named. */
export const FILES_MAX = 50_000
const MEMORY_MAX_BYTES = 128 * 1024 * 1024
/** Bounds of one load, for which readers wait. The next load goes on from there. */
const LOADED_MAX_BYTES = 64 * 1024 * 1024
const PARSING_MAX_MS = 1_000
/** For a process that has nothing to serve yet. */
const FIRST_PARSING_MAX_MS = 8_000
/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 2_048

export type LoadFailure =
  | GitFailure
  /** The branch has lost all its entities, which is more often an accident than an intention. */
  | { readonly kind: 'catalog_empty' }
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
  readonly parser: Pick<CatalogParser, 'warm' | 'parse'>
  readonly kept: KeptFiles
  readonly limits?: Partial<CatalogLimits>
}

export interface CatalogLimits {
  readonly filesMax: number
  readonly memoryMaxBytes: number
  readonly parsingMaxMs: number
  readonly firstParsingMaxMs: number
}

/**
 * Brings a snapshot up to date: the head commit, then the tree, then only the blobs that are not known yet. With a failure of the git
 * host the previous snapshot stays what it was. Content is never a failure: what is too much, or cannot be read, is left out and named.
 */
export async function loadSnapshot(
  source: CatalogSource,
  previous: Snapshot | undefined,
): Promise<Result<Snapshot, LoadFailure>> {
  const { gitHost, repository, directory, parser, kept, limits } = source
  const recalling = previous === undefined ? recallOrWarm(kept, parser) : undefined
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  const { commit } = head.value
  const isComplete = previous !== undefined && !isUnfinished(previous)
  if (isComplete && previous.commit === commit) return ok(previous)

  if (previous !== undefined) parser.warm()
  const filesMax = limits?.filesMax ?? FILES_MAX
  const listed = await gitHost.listFiles(repository, { commit, directory, filesMax })
  if (!listed.ok) return listed
  const listing = listed.value
  if (isComplete && previous.tree === listing.tree) return ok({ ...previous, commit })

  const parsed = await parsedBlobs(previous, await recalling)
  const selected = await select(source, head.value, listing, parsed, previous)
  if (!selected.ok) return selected
  const { files, leftOut, weights, isChanged } = selected.value
  const snapshot = await buildSnapshot(
    { commit, tree: listing.tree, directory, files, skipped: listing.skipped, leftOut, weights },
    parsed,
    previous,
  )
  if (isChanged) kept.remember(snapshot.files)
  const isEmptied = snapshot.entities.length === 0 && (previous?.entities.length ?? 0) > 0
  return isEmptied ? err({ kind: 'catalog_empty' }) : ok(snapshot)
}

/** Whether a load ended because its time was used up. */
export const isPending = ({ leftOut }: Snapshot): boolean =>
  leftOut.values().some((omission) => omission === 'file_pending')

/** Whether loading the same commit again may bring more. */
const isUnfinished = ({ leftOut }: Snapshot): boolean =>
  leftOut.values().some((omission) => omission !== 'catalog_too_large')

interface Selection {
  readonly files: readonly ListedFile[]
  readonly leftOut: LeftOut
  /** Weights of blobs that are left out, so that they need not be parsed to be left out again. */
  readonly weights: ReadonlyMap<ObjectId, number>
  readonly isChanged: boolean
}

/** The files of the next snapshot, all of them in `parsed`. */
async function select(
  { gitHost, repository, directory, parser, limits }: CatalogSource,
  { commit }: Head,
  listing: FileListing,
  parsed: Map<ObjectId, ParsedFile>,
  previous: Snapshot | undefined,
): Promise<Result<Selection, LoadFailure>> {
  const { memoryMaxBytes = MEMORY_MAX_BYTES } = limits ?? {}
  const leftOut = new Map<RepositoryPath, Omission>()
  const weightAt = ({ blob, sizeBytes = USUAL_FILE_BYTES }: ListedFile): number => {
    const file = parsed.get(blob)
    return file === undefined
      ? (previous?.weights.get(blob) ?? expectedWeight(sizeBytes))
      : weightOf(file)
  }
  const wanted = await admit(
    listing.files.filter(({ path }) => isCatalogFile(path)),
    weightAt,
    directory,
    memoryMaxBytes,
  )
  const unread = new Map<ObjectId, ListedFile>()
  await visitInSlices(wanted.admitted, createTimeSlice(), (file) => {
    if (!parsed.has(file.blob)) unread.set(file.blob, file)
  })
  const sizeOf = ({ sizeBytes = USUAL_FILE_BYTES }: ListedFile) => sizeBytes
  const ordered = await inFairOrder([...unread.values()], sizeOf, directory)
  const budget = budgetOf(limits, previous)
  const reading = gitHost.readFiles(repository, commit, ordered, FILE_BYTES_MAX)
  const read = await readAndParse(reading, parser, budget, parsed)
  if (!read.ok) return read

  const unreadable = new Set(
    [...unread.values()].filter(({ path }) => read.value.has(path)).map(({ blob }) => blob),
  )
  const isMissing = (blob: ObjectId) => !parsed.has(blob) && !unreadable.has(blob)
  if (!isUsedUp(budget) && unread.keys().some(isMissing)) {
    return err({ kind: 'git_host_error', reason: 'files are missing' })
  }
  const fitting = await admit(wanted.admitted, weightAt, directory, memoryMaxBytes)
  const files = fitting.admitted.filter(({ blob }) => parsed.has(blob))
  for (const { path, blob } of fitting.admitted) {
    if (!parsed.has(blob))
      leftOut.set(path, unreadable.has(blob) ? 'file_unreadable' : 'file_pending')
  }
  const refused = [...wanted.refused, ...fitting.refused]
  for (const { path } of refused) leftOut.set(path, 'catalog_too_large')
  const weights = new Map(refused.map((file) => [file.blob, weightAt(file)]))
  return ok({ files, leftOut, weights, isChanged: unread.size > unreadable.size })
}

const budgetOf = (limits: CatalogSource['limits'], previous: Snapshot | undefined) => ({
  time: {
    leftMs:
      previous === undefined
        ? (limits?.firstParsingMaxMs ?? FIRST_PARSING_MAX_MS)
        : (limits?.parsingMaxMs ?? PARSING_MAX_MS),
  },
  leftBytes: LOADED_MAX_BYTES,
})

/** Starts the parser's thread when nothing can be recalled. */
async function recallOrWarm(
  kept: KeptFiles,
  parser: CatalogSource['parser'],
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
