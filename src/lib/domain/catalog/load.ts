import type { ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { FileListing, GitFailure, GitHost, ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ParsedFile } from './parse-file.ts'
import { FILE_BYTES_MAX } from './limits.ts'
import type { CatalogParser } from './parser.ts'
import { buildSnapshot, catalogFilesOf, type Snapshot } from './snapshot.ts'

/** Files go to the parser in portions: large enough to be cheap, small enough to be read and parsed side by side. */
const BATCH_FILES = 256
const BATCH_BYTES = 512 * 1024
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
}

/**
 * Brings a snapshot up to date: the head commit, then the tree, then only the blobs that are not known yet.
 * All or nothing: with any failure the previous snapshot stays what it was.
 */
export async function loadSnapshot(
  { gitHost, repository, directory, parser }: CatalogSource,
  previous: Snapshot | undefined,
): Promise<Result<Snapshot, LoadFailure>> {
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  const { commit } = head.value
  if (previous?.commit === commit) return ok(previous)

  parser.warm()
  const listed = await gitHost.listFiles(repository, { commit, directory })
  if (!listed.ok) return listed
  if (previous !== undefined && previous.tree === listed.value.tree)
    return ok({ ...previous, commit })

  const listing = catalogFilesOf(listed.value)
  if (listing.files.length > FILES_MAX) {
    return err({ kind: 'catalog_too_large', files: listing.files.length })
  }

  const known = knownBlobs(previous)
  const parsed = await readAndParse(
    (files) => gitHost.readFiles(repository, commit, files, FILE_BYTES_MAX),
    unknownFiles(listing, known),
    parser,
  )
  if (!parsed.ok) return parsed
  for (const [blob, file] of parsed.value) known.set(blob, file)
  const snapshot = await buildSnapshot(commit, listing, known, previous)
  const hasEmptied = snapshot.entities.length === 0 && (previous?.entities.length ?? 0) > 0
  return hasEmptied ? err({ kind: 'catalog_empty' }) : ok(snapshot)
}

function knownBlobs(previous: Snapshot | undefined): Map<ObjectId, ParsedFile> {
  const known = new Map<ObjectId, ParsedFile>()
  for (const { blob, parsed } of previous?.files.values() ?? []) known.set(blob, parsed)
  return known
}

/** One file per blob: the same content at two paths is read once. */
function unknownFiles(
  listing: FileListing,
  known: ReadonlyMap<ObjectId, ParsedFile>,
): readonly ListedFile[] {
  const wanted = new Map<ObjectId, ListedFile>()
  for (const file of listing.files) if (!known.has(file.blob)) wanted.set(file.blob, file)
  return [...wanted.values()]
}

async function readAndParse(
  read: (files: readonly ListedFile[]) => ReturnType<GitHost['readFiles']>,
  files: readonly ListedFile[],
  parser: CatalogParser,
): Promise<Result<ReadonlyMap<ObjectId, ParsedFile>, LoadFailure>> {
  const parsed = new Map<ObjectId, ParsedFile>()
  const pending: Promise<void>[] = []
  let blobs: ObjectId[] = []
  let contents: Uint8Array[] = []
  let bytes = 0
  const parse = async (batch: readonly ObjectId[], sources: readonly Uint8Array[]) => {
    const answers = await parser.parse(sources)
    for (const [index, blob] of batch.entries()) {
      const file = answers[index]
      if (file !== undefined) parsed.set(blob, file)
    }
  }
  const send = () => {
    const parsing = parse(blobs, contents)
    // A failure of the host ends the load early: nobody waits for this any more.
    parsing.catch(() => undefined)
    pending.push(parsing)
    blobs = []
    contents = []
    bytes = 0
  }
  for await (const file of read(files)) {
    if (!file.ok) return file
    if (file.value.bytes === null) {
      parsed.set(file.value.blob, oversized)
      continue
    }
    blobs.push(file.value.blob)
    contents.push(file.value.bytes)
    bytes += file.value.bytes.length
    if (blobs.length >= BATCH_FILES || bytes >= BATCH_BYTES) send()
  }
  if (blobs.length > 0) send()
  const [failed] = (await Promise.allSettled(pending)).filter(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    return err({ kind: 'catalog_parser_failed', reason: String(failed.reason) })
  }
  const isComplete = files.every(({ blob }) => parsed.has(blob))
  return isComplete ? ok(parsed) : err({ kind: 'git_host_error', reason: 'files are missing' })
}

const oversized: ParsedFile = {
  entities: [],
  findings: [
    {
      severity: 'error',
      code: 'file_too_large',
      line: null,
      column: null,
      ref: null,
      message: `a catalog file may have ${FILE_BYTES_MAX} bytes`,
    },
  ],
}
