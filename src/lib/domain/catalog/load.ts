import type { ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { FileListing, GitHost, Head, ListedFile } from '../../ports/git-host.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { err, ok, type Result } from '../../result.ts'
import { admit, defaultLimits, inFairOrder, type RepositoryLimits } from './admission.ts'
import type { KeptFiles } from './kept-files.ts'
import type { LoadFailure } from './load-failure.ts'
import type { LeftOut, Omission } from './left-out.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX } from './problem.ts'
import type { CatalogParser, ParsingTime } from './parser.ts'
import { isUsedUp, readAndParse } from './read-files.ts'
import { buildSnapshot, isCatalogFile, type Snapshot } from './snapshot.ts'
import { expectedWeight, weightOf } from './weight.ts'

/** Bounds of one load, for which readers wait, in processor time of the parser and in memory. The next load goes on from there. */
const PARSING_MAX_MS = 1_000
const LOADED_MAX_BYTES = 64 * 1024 * 1024
/** For a process that has nothing to serve yet: as many ordinary files as a catalog may have take a quarter of it. */
const FIRST_PARSING_MAX_MS = 60_000
/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 2_048

export interface CatalogSource {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>
  readonly repository: RepositoryId
  readonly directory: RepositoryPath
  readonly parser: Pick<CatalogParser, 'warm' | 'parse'>
  readonly kept: KeptFiles
  readonly limits?: Partial<CatalogLimits>
}

/** Bounds of a catalog, and of the time of a load. */
export interface CatalogLimits extends RepositoryLimits {
  readonly parsingMaxMs: number
  readonly firstParsingMaxMs: number
}

const limitsOf = ({ limits }: Pick<CatalogSource, 'limits'>): CatalogLimits => ({
  ...defaultLimits,
  parsingMaxMs: PARSING_MAX_MS,
  firstParsingMaxMs: FIRST_PARSING_MAX_MS,
  ...limits,
})

/**
 * Brings a snapshot up to date. With a failure of the git host the previous snapshot stays what it was. Content is never a failure:
 * what is too much, or cannot be read, is left out and named. Files that a load has no time for keep their previous entities;
 * without a previous snapshot the load goes on instead.
 */
export async function loadSnapshot(
  source: CatalogSource,
  previous: Snapshot | undefined,
): Promise<Result<Snapshot, LoadFailure>> {
  const { parsingMaxMs, firstParsingMaxMs } = limitsOf(source)
  const time = { leftMs: previous === undefined ? firstParsingMaxMs : parsingMaxMs }
  let loaded = await loadNext(source, previous, time)
  if (previous !== undefined) return loaded
  while (loaded.ok && isPending(loaded.value) && time.leftMs > 0) {
    loaded = await loadNext(source, loaded.value, time)
  }
  return loaded
}

/** The head commit, then the tree, then the blobs that are not known yet, as many as there is time and memory for. */
async function loadNext(
  source: CatalogSource,
  previous: Snapshot | undefined,
  time: ParsingTime,
): Promise<Result<Snapshot, LoadFailure>> {
  const { gitHost, repository, directory, parser, kept } = source
  const recalling = previous === undefined ? recallOrWarm(kept, parser) : undefined
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  const { commit } = head.value
  const isComplete = previous !== undefined && !isUnfinished(previous)
  if (isComplete && previous.commit === commit) return ok(previous)

  if (previous !== undefined) parser.warm()
  const { filesMax } = limitsOf(source)
  if (isComplete) {
    const top = await gitHost.listFiles(repository, { commit, directory, filesMax: 0 })
    if (!top.ok) return top
    if (previous.tree === top.value.tree) return ok({ ...previous, commit })
  }
  const listed = await gitHost.listFiles(repository, { commit, directory, filesMax })
  if (!listed.ok) return listed
  const listing = listed.value

  const parsed = await parsedBlobs(previous, await recalling)
  const selected = await select(source, head.value, listing, parsed, previous, time)
  if (!selected.ok) return selected
  const { files, leftOut, weights } = selected.value
  const snapshot = await buildSnapshot(
    { commit, tree: listing.tree, directory, files, skipped: listing.skipped, leftOut, weights },
    parsed,
    previous,
  )
  const isEmptied = snapshot.entities.length === 0 && (previous?.entities.length ?? 0) > 0
  if (isEmptied) return err({ kind: 'catalog_empty' })
  kept.remember(snapshot)
  return ok(snapshot)
}

/** Whether files are not read yet. */
export const isPending = ({ leftOut }: Snapshot): boolean =>
  leftOut.values().some((omission) => omission === 'file_pending')

/** Whether loading the same commit again may bring more. */
const isUnfinished = ({ leftOut }: Snapshot): boolean =>
  leftOut.values().some((omission) => omission !== 'catalog_too_large')

interface Selection {
  /** Pending files have the blob that they had before. */
  readonly files: readonly ListedFile[]
  readonly leftOut: LeftOut
  /** Weights of blobs that are left out, so that they need not be parsed to be left out again. */
  readonly weights: ReadonlyMap<ObjectId, number>
}

/** The files of the next snapshot, all of them in `parsed`. */
async function select(
  source: CatalogSource,
  { commit }: Head,
  listing: FileListing,
  parsed: Map<ObjectId, ParsedFile>,
  previous: Snapshot | undefined,
  time: ParsingTime,
): Promise<Result<Selection, LoadFailure>> {
  const { gitHost, repository, directory, parser } = source
  const { memoryMaxBytes } = limitsOf(source)
  const leftOut = new Map<RepositoryPath, Omission>()
  const before = (path: RepositoryPath) => previous?.files.get(path)
  const weightAt = ({ path, blob, sizeBytes = USUAL_FILE_BYTES }: ListedFile): number => {
    const file = parsed.get(blob)
    if (file !== undefined) return weightOf(file)
    const known = previous?.weights.get(blob)
    if (known !== undefined) return known
    const held = before(path)
    return held === undefined ? expectedWeight(sizeBytes) : weightOf(held.parsed)
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
  const budget = {
    time,
    leftBytes: previous === undefined ? memoryMaxBytes : LOADED_MAX_BYTES,
  }
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
  const files: ListedFile[] = []
  for (const file of fitting.admitted) {
    const { path, blob } = file
    if (parsed.has(blob)) files.push(file)
    else if (unreadable.has(blob)) leftOut.set(path, 'file_unreadable')
    else {
      leftOut.set(path, 'file_pending')
      const held = before(path)
      if (held !== undefined) files.push({ ...file, blob: held.blob })
    }
  }
  const refused = [...wanted.refused, ...fitting.refused]
  for (const { path } of refused) leftOut.set(path, 'catalog_too_large')
  const weights = new Map(refused.map((file) => [file.blob, weightAt(file)]))
  return ok({ files, leftOut, weights })
}

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
