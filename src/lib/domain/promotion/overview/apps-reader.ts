import { lazily } from '../../../concurrency/lazily.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { folderBelow } from '../../../files/folder-below.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../../../names.ts'
import type { FileListing, GitFailure, GitHost, ListedFile } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { ownCopy } from '../../../text/own-copy.ts'
import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import { admit, defaultLimits, type RepositoryLimits } from '../../catalog/admission.ts'
import { type Image, OVERLAY_BYTES_MAX, PATCH_FILE } from '../../gitops/overlay.ts'
import { applicationOf, isApplicationFile, overlaysIn } from '../application.ts'
import { type Claim, claimsIn } from '../overlay/manifests.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { Texts } from '../texts.ts'

/** Bounds of what is kept of a file: teams share the memory of the process. */
const CLAIMS_OF_FILE_MAX = 100
/** No host, database, tag or digest is longer. */
const NAME_MAX_CHARACTERS = 256

/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 512

export interface OverlayClaim extends Claim {
  readonly path: RepositoryPath
}

export interface OverlayClaims {
  readonly claims: readonly OverlayClaim[]
  /** Folders that are not read whole: further claims of theirs are unknown. */
  readonly cut: readonly string[]
}

/** As much of an application as its row needs, at one commit, and where its claims are. */
export interface AppFolder {
  /** Digest of the paths and blobs that are read: the same version has the same content. */
  readonly version: string
  /** The same of the files that a row is made of. */
  readonly rowVersion: string
  /** Size of the files that are read. */
  readonly bytes: number
  /** The environments that have an overlay. */
  readonly stages: ReadonlySet<Stage>
  /** Their images, parsed when somebody asks: that is most of the time of a first load. The texts are kept until then. */
  readonly images: () => ReadonlyMap<Stage, Image | null>
  /** Equal versions of a folder share them, so that their files are read once. */
  readonly claims: {
    readonly files: readonly ListedFile[]
    /** Unless they are not read yet, or one of the files is damaged. */
    known?: readonly OverlayClaim[]
  }
}

const CLAIM_FILE = /^\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

/** Whether the row of an application needs the file. `rest`: its path below the application's folder, with a slash before it. */
const isRowFile = (rest: string): boolean =>
  isApplicationFile(rest) && !rest.endsWith(`/${PATCH_FILE}`)

const sizeOf = ({ sizeBytes = USUAL_FILE_BYTES }: ListedFile): number => sizeBytes

function versionOf(directory: string, files: readonly ListedFile[]): string {
  const digest = new Bun.CryptoHasher('sha256')
  for (const { path, blob } of files) digest.update(`${path.slice(directory.length)}\0${blob}\n`)
  return digest.digest('hex')
}

export function appFolderOf(
  directory: RepositoryPath,
  files: readonly ListedFile[],
  texts: Texts,
  pipeline: Pipeline,
): AppFolder {
  const isOfRow = ({ path }: ListedFile) => isRowFile(path.slice(directory.length))
  let unread: Texts = texts
  return {
    version: versionOf(directory, files),
    rowVersion: versionOf(directory, files.filter(isOfRow)),
    bytes: files.reduce((sum, file) => sum + sizeOf(file), 0),
    stages: new Set(overlaysIn(texts, directory, pipeline).map(({ stage }) => stage)),
    images: lazily(() => {
      const { overlays } = applicationOf(unread, directory, pipeline)
      unread = new Map()
      return new Map([...overlays].map(([stage, { image }]) => [stage, bounded(image)]))
    }),
    claims: { files: files.filter(({ path }) => CLAIM_FILE.test(path.slice(directory.length))) },
  }
}

export const claimsOf = (path: RepositoryPath, text: string): readonly OverlayClaim[] =>
  claimsIn(text)
    .slice(0, CLAIMS_OF_FILE_MAX)
    .filter(({ name }: Claim) => name.length <= NAME_MAX_CHARACTERS)
    .map(({ kind, name }) => ({ path, kind, name: ownCopy(name) }))

const bounded = (image: Image | null): Image | null =>
  image && { tag: boundedText(image.tag), digest: boundedText(image.digest) }

const boundedText = (text: string | null): string | null =>
  text === null || text.length > NAME_MAX_CHARACTERS ? null : ownCopy(text)

export const APPS = RepositoryPath.of('apps')

/** `apps/<team>/<app>` of a path in it. `null`: it is in none. */
function applicationFolderOf(path: string): string | null {
  const team = folderBelow(APPS, path)
  const folder = folderBelow(team, path)
  return folder === team ? null : folder
}

export interface ListedApps {
  /** The files to read, by the folder of their application, which may have none of them. */
  readonly byFolder: ReadonlyMap<string, readonly ListedFile[]>
  /** Folders of teams that are not listed whole. */
  readonly cut: ReadonlySet<string>
}

/** Groups the files below `apps/` by application, in slices of the event loop. `bytesMax` is shared fairly among the teams. */
export async function groupByApplication(
  { files, skipped }: FileListing,
  bytesMax: number,
): Promise<ListedApps> {
  const byFolder = new Map<string, ListedFile[]>()
  const readable = new Map<ListedFile, ListedFile[]>()
  await visitInSlices(files, createTimeSlice(), (file) => {
    const folder = applicationFolderOf(file.path)
    if (folder === null) return
    const ofFolder = byFolder.get(folder) ?? []
    byFolder.set(folder, ofFolder)
    const rest = file.path.slice(folder.length)
    if (CLAIM_FILE.test(rest) || isApplicationFile(rest)) readable.set(file, ofFolder)
  })
  const { admitted, refused } = await admit([...readable.keys()], sizeOf, APPS, bytesMax)
  await visitInSlices(admitted, createTimeSlice(), (file) => readable.get(file)?.push(file))
  const cut = new Set<string>(refused.map(({ path }) => folderBelow(APPS, path)))
  for (const { rawPath, reason } of skipped) if (reason === 'too_many_files') cut.add(rawPath)
  return { byFolder, cut }
}

/** Every application at one commit. */
export interface AppsAtCommit {
  readonly commit: ObjectId
  /** Equal trees have equal applications. */
  readonly tree: ObjectId | null
  /** Number of all files below `apps`. */
  readonly files: number
  /** By folder, such as `apps/payments/shop`. */
  readonly folders: ReadonlyMap<string, AppFolder>
  /** Sorted folders of teams with more files than are read, and of applications with a damaged file: more may be in them. */
  readonly cut: readonly string[]
}

/** In place of a file that the git host has lost. */
const DAMAGED = Symbol('damaged')

export type AppsReader = ReturnType<typeof createAppsReader>

/** Applications that are listed one by one after a push; where it changed more, all are listed. */
const CHANGED_MAX = 50

/**
 * All applications from one listing, and after a push those that it changed. A team whose folder is too large, or damaged, loses
 * applications and claims of its own, and no other team's.
 */
export function createAppsReader(
  gitHost: Pick<GitHost, 'listFiles' | 'listChanges' | 'readFiles'>,
  repository: RepositoryId,
  pipeline: Pipeline,
  { filesMax, memoryMaxBytes }: RepositoryLimits = defaultLimits,
) {
  const flights = createSingleFlight<Result<AppsAtCommit, GitFailure>>()
  /** Keyed by the folders that they fill in: a commit that is read again has others. */
  const claimFlights = createSingleFlight<Result<void, GitFailure>>()
  let last: AppsAtCommit | undefined

  async function load(
    commit: ObjectId,
    before: AppsAtCommit | undefined,
  ): Promise<Result<AppsAtCommit, GitFailure>> {
    const updated = before?.cut.length === 0 ? await update(commit, before) : null
    if (updated !== null) return updated
    const listed = await gitHost.listFiles(repository, { commit, directory: APPS, filesMax })
    if (!listed.ok) return listed
    const { tree, files, skipped } = listed.value
    const { byFolder, cut } = await groupByApplication(listed.value, memoryMaxBytes)
    const whole = { commit, tree, files: files.length + skipped.length }
    return readFolders(whole, byFolder, cut, before?.folders)
  }

  /** Reads the applications that a push has changed. `null`: they are too many, or there is no room for them, and all have to be listed. */
  async function update(
    commit: ObjectId,
    before: AppsAtCommit,
  ): Promise<Result<AppsAtCommit, GitFailure> | null> {
    const top = await gitHost.listFiles(repository, { commit, directory: APPS, filesMax: 0 })
    if (!top.ok) return top
    const { tree } = top.value
    if (tree === before.tree) return ok({ ...before, commit })
    const change = { from: before.commit, to: commit, directory: APPS }
    const changes = await gitHost.listChanges(repository, change)
    if (!changes.ok) return null
    let { files } = before
    const changed = new Set<string>()
    await visitInSlices(changes.value, createTimeSlice(), ({ rawPath, change: kind }) => {
      if (kind !== 'modified') files += kind === 'added' ? 1 : -1
      const folder = applicationFolderOf(rawPath)
      if (folder !== null) changed.add(folder)
    })
    if (files > filesMax || changed.size > CHANGED_MAX) return null
    const listed: FileListing[] = []
    for (const folder of changed) {
      const directory = RepositoryPath.parse(folder)
      if (directory === undefined) return null
      const listing = await gitHost.listFiles(repository, { commit, directory, filesMax })
      if (!listing.ok) return null
      listed.push(listing.value)
    }
    const kept = new Map(before.folders)
    for (const folder of changed) kept.delete(folder)
    const room = kept.values().reduce((left, { bytes }) => left - bytes, memoryMaxBytes)
    const joined = {
      tree,
      files: listed.flatMap((each) => each.files),
      skipped: listed.flatMap((each) => each.skipped),
    }
    const { byFolder, cut } = await groupByApplication(joined, room)
    if (cut.size > 0) return null
    return readFolders({ commit, tree, files }, byFolder, cut, before.folders, kept)
  }

  /** `before`: folders that are not read again where their files are the same. `kept`: others that are as they were. */
  async function readFolders(
    at: Pick<AppsAtCommit, 'commit' | 'tree' | 'files'>,
    byFolder: ReadonlyMap<string, readonly ListedFile[]>,
    cut: ReadonlySet<string>,
    before: AppsAtCommit['folders'] = new Map(),
    kept: AppsAtCommit['folders'] = new Map(),
  ): Promise<Result<AppsAtCommit, GitFailure>> {
    const pause = createTimeSlice()
    const folders = new Map(kept)
    const unread = new Map<string, readonly ListedFile[]>()
    const wanted: ListedFile[] = []
    for (const [path, files] of byFolder) {
      await pause()
      const folder = before.get(path)
      if (folder?.version === versionOf(path, files)) {
        folders.set(path, folder)
        continue
      }
      unread.set(path, files)
      wanted.push(...files.filter((file) => isRowFile(file.path.slice(path.length))))
    }
    const read = await readEach(at.commit, wanted, (_, text) => text)
    if (!read.ok) return read
    const texts = read.value
    const left = new Set(cut)
    for (const [path, files] of unread) {
      await pause()
      const own = files.flatMap((file) => {
        const text = texts.get(file.path)
        return typeof text === 'string' ? [[file.path, text] as const] : []
      })
      if (files.some((file) => texts.get(file.path) === DAMAGED)) left.add(path)
      else folders.set(path, appFolderOf(RepositoryPath.of(path), files, new Map(own), pipeline))
    }
    return ok({ ...at, folders, cut: [...left].toSorted() })
  }

  /** The kept part of each file; nothing of one that is too large or no text. */
  async function readEach<Kept>(
    commit: ObjectId,
    files: readonly ListedFile[],
    keep: (path: RepositoryPath, text: string) => Kept,
  ): Promise<Result<ReadonlyMap<RepositoryPath, Kept | typeof DAMAGED>, GitFailure>> {
    const pause = createTimeSlice()
    const kept = new Map<RepositoryPath, Kept | typeof DAMAGED>()
    if (files.length === 0) return ok(kept)
    for await (const read of gitHost.readFiles(repository, commit, files, OVERLAY_BYTES_MAX)) {
      if (read.ok) {
        const { path, bytes } = read.value
        const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
        if (text !== undefined) kept.set(path, keep(path, text))
      } else if (read.error.kind === 'git_file_unreadable') kept.set(read.error.path, DAMAGED)
      else return read
      await pause()
    }
    return ok(kept)
  }

  async function read(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>> {
    if (last?.commit === commit) return ok(last)
    const loaded = await flights.join(commit, () => load(commit, last))
    if (loaded.ok) last = loaded.value
    return loaded
  }

  return {
    read,
    /** Claims of all applications. Their files are most of those that are ever read, and no row needs them. */
    async claims(commit: ObjectId): Promise<Result<OverlayClaims, GitFailure>> {
      const apps = await read(commit)
      if (!apps.ok) return apps
      const folders = [...apps.value.folders]
      const done = await claimFlights.join(apps.value, async () => {
        const unread = folders.flatMap(([, { claims }]) => (claims.known ? [] : [claims]))
        const files = unread.flatMap((claims) => claims.files)
        const found = await readEach(commit, files, claimsOf)
        if (!found.ok) return found
        for (const claims of unread) {
          const ofFiles = claims.files.map(({ path }) => found.value.get(path) ?? [])
          if (ofFiles.every((each) => each !== DAMAGED)) claims.known = ofFiles.flat()
        }
        return ok(undefined)
      })
      if (!done.ok) return done
      const damaged = folders.flatMap(([path, { claims }]) => (claims.known ? [] : path))
      return ok({
        claims: folders.flatMap(([, { claims }]) => claims.known ?? []),
        cut: [...new Set([...apps.value.cut, ...damaged])].toSorted(),
      })
    },
  }
}
