import type { FileListing, SkippedFile } from '../../ports/git-host.ts'
import type { ObjectId, RepositoryPath } from '../../names.ts'
import { CATALOG_FILE, type CatalogChanges } from './changes.ts'
import { type EntityCard, entityRef } from './entity.ts'
import type { ParsedFile } from './parse-file.ts'
import type { CatalogProblem, ProblemCode } from './problem.ts'
import { buildSearchIndex, type EncodedText, type SearchIndex } from './search-index.ts'
import {
  createTimeSlice,
  mergeInSlices,
  type Pause,
  sortInSlices,
  visitInSlices,
} from '../../concurrency/time-slice.ts'

/** The catalog as one commit of the gitops repository has it. Never changed, only replaced. */
export interface Snapshot {
  readonly commit: ObjectId
  /** The catalog's folder, with the files that are not read. Two snapshots with the same tree hold the same entities. */
  readonly listing: FileListing
  readonly files: ReadonlyMap<RepositoryPath, SnapshotFile>
  /** By kind, then name. Of duplicates only the first by path. */
  readonly entities: readonly CatalogEntity[]
  readonly byRef: ReadonlyMap<string, CatalogEntity>
  /** The texts of `entities`, in their order. */
  readonly search: SearchIndex
  readonly problems: readonly CatalogProblem[]
  /** Every entity, duplicates too, in order: what the next snapshot is built from. */
  readonly ordered: readonly CatalogEntity[]
}

export interface SnapshotFile {
  readonly blob: ObjectId
  readonly parsed: ParsedFile
}

export interface CatalogEntity {
  readonly card: EntityCard
  readonly json: Uint8Array<ArrayBuffer>
  readonly text: EncodedText
  readonly ref: string
  /** Kind and name as they are sorted. */
  readonly order: string
  readonly path: RepositoryPath
  readonly line: number
}

/** Changes when the entity does: its file's blob, and which document of the file it is. */
export const versionOf = (snapshot: Snapshot, { path, line }: CatalogEntity): string =>
  `${snapshot.files.get(path)?.blob ?? ''}-${line}`

const compare = (a: CatalogEntity, b: CatalogEntity): number => {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line
}

/**
 * The next snapshot, at a cost on the event loop that is mostly proportional to what changed, and in slices.
 * `parsed` holds every blob that changed.
 */
export async function buildSnapshot(
  commit: ObjectId,
  { listing, changed, gone }: CatalogChanges,
  parsed: ReadonlyMap<ObjectId, ParsedFile>,
  previous: Snapshot | undefined,
): Promise<Snapshot> {
  const pause = createTimeSlice()
  const files = new Map<RepositoryPath, SnapshotFile>()
  await visitInSlices(previous?.files ?? [], pause, ([path, file]) => {
    if (!gone.has(path)) files.set(path, file)
  })
  const added: CatalogEntity[] = []
  await visitInSlices(changed, pause, ({ path, blob }) => {
    const file = { blob, parsed: parsedFile(parsed, blob) }
    files.set(path, file)
    added.push(...entitiesOf(path, file.parsed))
  })
  const survivors = await withoutFiles(gone, previous?.ordered ?? [], pause)
  const news = await sortInSlices(added, compare, pause)
  const ordered = await mergeInSlices(survivors, news, compare, pause)
  const { entities, byRef, duplicates } = await withoutDuplicates(ordered, pause)
  const problems = await sortInSlices(
    [
      ...skippedOf(listing).map(problemOfSkipped),
      ...(await problemsOf(files, pause)),
      ...duplicates,
    ],
    (a, b) => compareText(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0),
    pause,
  )
  const search = await buildSearchIndex(entities, pause, previous && { ...previous, compare })
  return { commit, listing, files, entities, byRef, search, problems, ordered }
}

function parsedFile(parsed: ReadonlyMap<ObjectId, ParsedFile>, blob: ObjectId): ParsedFile {
  const file = parsed.get(blob)
  if (file === undefined) throw new Error(`blob ${blob} was listed and never parsed`)
  return file
}

function entitiesOf(path: RepositoryPath, file: ParsedFile): readonly CatalogEntity[] {
  return file.entities.map(({ card, json, text, line }) => ({
    card,
    json,
    text,
    ref: entityRef(card.kind, card.name),
    order: `${card.kind.toLowerCase()}\0${card.name}`,
    path,
    line,
  }))
}

async function withoutFiles(
  gone: ReadonlySet<RepositoryPath>,
  ordered: readonly CatalogEntity[],
  pause: Pause,
): Promise<readonly CatalogEntity[]> {
  if (gone.size === 0) return ordered
  const kept: CatalogEntity[] = []
  await visitInSlices(ordered, pause, (entity) => {
    if (!gone.has(entity.path)) kept.push(entity)
  })
  return kept
}

async function withoutDuplicates(ordered: readonly CatalogEntity[], pause: Pause) {
  const entities: CatalogEntity[] = []
  const byRef = new Map<string, CatalogEntity>()
  const duplicates: CatalogProblem[] = []
  let first: CatalogEntity | undefined
  await visitInSlices(ordered, pause, (entity) => {
    // The order puts entities with the same reference side by side.
    if (first?.ref !== entity.ref) {
      first = entity
      byRef.set(entity.ref, entity)
      entities.push(entity)
    } else {
      duplicates.push(duplicateProblem(entity, first, 'error'))
      duplicates.push(duplicateProblem(first, entity, 'warning'))
    }
  })
  return { entities, byRef, duplicates }
}

const duplicateProblem = (
  entity: CatalogEntity,
  other: CatalogEntity,
  severity: CatalogProblem['severity'],
): CatalogProblem => ({
  severity,
  code: 'entity_duplicate',
  path: entity.path,
  line: entity.line,
  column: 1,
  ref: entity.ref,
  message:
    severity === 'error'
      ? `hidden, because ${other.path}:${other.line} has the same entity and comes first`
      : `served, and hides the same entity in ${other.path}:${other.line}`,
})

async function problemsOf(
  files: ReadonlyMap<RepositoryPath, SnapshotFile>,
  pause: Pause,
): Promise<readonly CatalogProblem[]> {
  const problems: CatalogProblem[] = []
  await visitInSlices(files, pause, ([path, { parsed }]) => {
    for (const finding of parsed.findings) problems.push({ ...finding, path })
  })
  return problems
}

const skippedCode = {
  symbolic_link: 'file_symbolic_link',
  submodule: 'file_submodule',
  unsafe_path: 'file_unsafe_path',
} as const satisfies Record<SkippedFile['reason'], ProblemCode>

const problemOfSkipped = ({ rawPath, reason }: SkippedFile): CatalogProblem => ({
  severity: 'error',
  code: skippedCode[reason],
  path: rawPath,
  line: null,
  column: null,
  ref: null,
  message: 'only regular files with ordinary names are read',
})

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** What cannot be read and may hold entities: behind a link or a submodule of any name there may be a folder of them. */
const skippedOf = ({ skipped }: FileListing): readonly SkippedFile[] =>
  skipped.filter(({ rawPath, reason }) => reason !== 'unsafe_path' || CATALOG_FILE.test(rawPath))
