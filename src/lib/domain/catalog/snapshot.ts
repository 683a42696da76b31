import type { ListedFile, SkippedFile } from '../../ports/git-host.ts'
import type { ObjectId, RepositoryPath } from '../../names.ts'
import { type EntityCard, entityRef } from './entity.ts'
import { createDuplicates } from './duplicates.ts'
import { type LeftOut, problemsOfLeftOut } from './left-out.ts'
import type { ParsedFile } from './parse-file.ts'
import { byPosition, type CatalogProblem, fileFinding, type ProblemCode } from './problem.ts'
import type { Reference } from './reference.ts'
import type { SearchText } from './search-text.ts'
import {
  createTimeSlice,
  mergeInSlices,
  sortInSlices,
  visitInSlices,
} from '../../concurrency/time-slice.ts'

/** The catalog as one commit of the gitops repository has it. Never changed, only replaced. */
export interface Snapshot {
  readonly commit: ObjectId
  /** Id of the catalog folder's tree: two snapshots with the same tree hold the same entities. */
  readonly tree: ObjectId | null
  readonly files: ReadonlyMap<RepositoryPath, SnapshotFile>
  /** Sorted by kind, then name. Of duplicates only the first by path. */
  readonly entities: readonly CatalogEntity[]
  readonly byRef: ReadonlyMap<string, CatalogEntity>
  /** Sorted by path, then line; without those of relations. */
  readonly problems: readonly CatalogProblem[]
  /** References that several documents have. */
  readonly ambiguous: ReadonlySet<string>
  /** The entities with all duplicates, sorted: the next snapshot is built from them. */
  readonly withDuplicates: readonly CatalogEntity[]
  readonly leftOut: LeftOut
  /** Entries of the listing that are no regular files. */
  readonly skipped: readonly SkippedFile[]
  /** Weights of blobs that are left out, because the catalog is too large. */
  readonly weights: ReadonlyMap<ObjectId, number>
}

/** The material of a snapshot. */
export interface SnapshotSource extends Pick<
  Snapshot,
  'commit' | 'tree' | 'leftOut' | 'skipped' | 'weights'
> {
  readonly directory: RepositoryPath
  readonly files: readonly Pick<ListedFile, 'path' | 'blob'>[]
}

export interface SnapshotFile {
  readonly blob: ObjectId
  readonly parsed: ParsedFile
}

export interface CatalogEntity {
  readonly card: EntityCard
  /** The whole entity as JSON. */
  readonly json: string
  /** Size of `json` in UTF-8. */
  readonly jsonBytes: number
  readonly text: SearchText
  readonly references: readonly Reference[]
  /** Values that filters compare without case. */
  readonly lowerCase: Pick<EntityCard, 'kind' | 'system' | 'lifecycle' | 'type'>
  readonly ref: string
  readonly path: RepositoryPath
  readonly line: number
}

const CATALOG_FILE = /\.ya?ml$/

export const isCatalogFile = (path: string): boolean => CATALOG_FILE.test(path)

/** Changes whenever the entity changes: the blob of its file, and the line of its document. */
export const versionOf = (snapshot: Snapshot, { path, line }: CatalogEntity): string =>
  `${snapshot.files.get(path)?.blob ?? ''}-${line}`

/** By kind, then name, since `/` sorts before any character of a kind; then by position. */
const compare = (a: CatalogEntity, b: CatalogEntity): number =>
  compareText(a.ref, b.ref) || compareText(a.path, b.path) || a.line - b.line

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/**
 * The next snapshot, in slices of the event loop. Only the entities of changed files are made and sorted. `parsed` must hold
 * every blob of the files that `previous` does not have at the same path.
 */
export async function buildSnapshot(
  { commit, tree, directory, files: listed, skipped, leftOut, weights }: SnapshotSource,
  parsed: ReadonlyMap<ObjectId, ParsedFile>,
  previous: Snapshot | undefined,
): Promise<Snapshot> {
  const pause = createTimeSlice()
  const files = new Map<RepositoryPath, SnapshotFile>()
  const added: CatalogEntity[] = []
  await visitInSlices(listed, pause, ({ path, blob }) => {
    const before = previous?.files.get(path)
    const file = before?.blob === blob ? before : { blob, parsed: parsedFile(parsed, blob) }
    files.set(path, file)
    if (file !== before) added.push(...entitiesOf(path, file.parsed))
  })
  const unchanged: CatalogEntity[] = []
  await visitInSlices(previous?.withDuplicates ?? [], pause, (entity) => {
    if (files.get(entity.path) === previous?.files.get(entity.path)) unchanged.push(entity)
  })
  const sorted: CatalogEntity[] = []
  await visitInSlices(await sortInSlices(added, compare, pause), pause, (entity) => {
    sorted.push(copyOf(entity))
  })
  const withDuplicates = await mergeInSlices(unchanged, sorted, compare, pause)

  const entities: CatalogEntity[] = []
  const byRef = new Map<string, CatalogEntity>()
  const ambiguous = new Set<string>()
  const problems = [
    ...skipped.filter(mayHoldEntities).map(problemOfSkipped),
    ...problemsOfLeftOut(leftOut, directory),
  ]
  const duplicates = createDuplicates(problems)
  await visitInSlices(withDuplicates, pause, (entity) => {
    const first = byRef.get(entity.ref)
    if (first === undefined) {
      byRef.set(entity.ref, entity)
      entities.push(entity)
    } else {
      ambiguous.add(entity.ref)
      duplicates.add(entity, first)
    }
  })
  duplicates.end()
  await visitInSlices(files, pause, ([path, file]) => {
    for (const finding of file.parsed.findings) problems.push({ ...finding, path })
  })
  return {
    commit,
    tree,
    files,
    entities,
    byRef,
    problems: await sortInSlices(problems, byPosition, pause),
    ambiguous,
    withDuplicates,
    leftOut,
    skipped,
    weights,
  }
}

function parsedFile(parsed: ReadonlyMap<ObjectId, ParsedFile>, blob: ObjectId): ParsedFile {
  const file = parsed.get(blob)
  if (file === undefined) throw new Error(`blob ${blob} was listed and never parsed`)
  return file
}

function entitiesOf(path: RepositoryPath, { entities }: ParsedFile): readonly CatalogEntity[] {
  return entities.map((entity) => ({
    ...entity,
    jsonBytes: Buffer.byteLength(entity.json),
    lowerCase: {
      kind: entity.card.kind.toLowerCase(),
      system: entity.card.system?.toLowerCase() ?? null,
      lifecycle: entity.card.lifecycle?.toLowerCase() ?? null,
      type: entity.card.type?.toLowerCase() ?? null,
    },
    ref: entityRef(entity.card.kind, entity.card.name),
    path,
  }))
}

/** Copies made in sorted order lie in memory in that order: a search, which reads all texts, takes less than half the time. */
const copyOf = (entity: CatalogEntity): CatalogEntity => ({
  ...entity,
  text: { ...entity.text, folded: Buffer.from(entity.text.folded).toString() },
})

const skippedCode = {
  symbolic_link: 'file_symbolic_link',
  submodule: 'file_submodule',
  unsafe_path: 'file_unsafe_path',
  too_many_files: 'files_too_many',
} as const satisfies Record<SkippedFile['reason'], ProblemCode>

const problemOfSkipped = ({ rawPath, reason }: SkippedFile): CatalogProblem => ({
  ...fileFinding(
    skippedCode[reason],
    reason === 'too_many_files'
      ? 'some of this folder is left out, because it has too many files or the git host has lost a part of it'
      : 'only regular files with ordinary names are read',
  ),
  path: rawPath,
})

/** A folder, a link or a submodule of any name may have entities. */
const mayHoldEntities = ({ rawPath, reason }: SkippedFile): boolean =>
  reason !== 'unsafe_path' || isCatalogFile(rawPath)
