import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../../../names.ts'
import type {
  DirectoryAtCommit,
  FileContent,
  GitFailure,
  GitHost,
  ListedFile,
  ListedFolder,
} from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import { OVERLAY_BYTES_MAX } from '../../gitops/overlay.ts'
import { defaultLimits, type RepositoryLimits } from '../../catalog/admission.ts'
import type { OverlayClaim } from '../overlay/claims.ts'
import type { Pipeline } from '../pipeline.ts'
import {
  addFile,
  type AppFolder,
  appFolderOf,
  type ReadFiles,
  type ReadFolder,
  versionOf,
} from './app-folder.ts'
import { APPLICATION_DEPTH, APPS, groupByApplication } from './listed-apps.ts'

/** Every application at one commit. */
export interface AppsAtCommit {
  readonly commit: ObjectId
  /** Equal trees have equal applications. */
  readonly tree: ObjectId | null
  /** By folder, such as `apps/payments`. */
  readonly teams: ReadonlyMap<string, TeamFolder>
  readonly claims: readonly OverlayClaim[]
  /** Sorted folders of teams with more files than are read, and of applications with a damaged file: more may be in them. */
  readonly cut: readonly string[]
}

export interface TeamFolder extends Pick<ListedFolder, 'tree' | 'files'> {
  /** Of the files that are read. */
  readonly bytes: number
  /** By folder, such as `apps/payments/shop`. */
  readonly folders: ReadonlyMap<string, AppFolder>
  readonly claims: readonly OverlayClaim[]
}

type KnownFolders = ReadonlyMap<string, TeamFolder | AppFolder>

export interface AppsReader {
  read(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>>
}

/**
 * All applications from one listing. Teams and applications whose folders are unchanged since the last reading are neither listed nor read again. A team
 * whose folder is too large, or damaged, loses applications and claims of its own, and no other team's.
 */
export function createAppsReader(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
  pipeline: Pipeline,
  { filesMax, memoryMaxBytes }: RepositoryLimits = defaultLimits,
): AppsReader {
  const flights = createSingleFlight<Result<AppsAtCommit, GitFailure>>()
  let last: AppsAtCommit | undefined

  async function load(
    commit: ObjectId,
    before: AppsAtCommit | undefined,
  ): Promise<Result<AppsAtCommit, GitFailure>> {
    const at = { commit, directory: APPS }
    const top = await gitHost.listFiles(repository, { ...at, filesMax: 0 })
    if (!top.ok) return top
    const isWhole = before?.cut.length === 0
    if (isWhole && before.tree === top.value.tree) return ok({ ...before, commit })
    const known = isWhole ? foldersOf(before) : new Map()
    return loadListed({ ...at, filesMax }, before, known)
  }

  /** `known`: the folders of before that count as listed. */
  async function loadListed(
    at: DirectoryAtCommit,
    before: AppsAtCommit | undefined,
    known: KnownFolders,
  ): Promise<Result<AppsAtCommit, GitFailure>> {
    const { commit } = at
    const listed = await gitHost.listFiles(repository, {
      ...at,
      folders: { depth: APPLICATION_DEPTH, known },
    })
    if (!listed.ok) return listed
    const { tree, folders: told = [] } = listed.value
    const toldOf = new Map(told.map((folder) => [folder.rawPath, folder]))
    const kept = told.flatMap(({ rawPath, isKnown }) => (isKnown ? (known.get(rawPath) ?? []) : []))
    const bytesLeft = kept.reduce((left, { bytes }) => left - bytes, memoryMaxBytes)
    const { byFolder, cut: ofTeams } = await groupByApplication(listed.value, bytesLeft)
    // What there is room for is shared among all of them.
    if (ofTeams.size > 0 && kept.length > 0) return loadListed(at, before, new Map())

    const cut = new Set(ofTeams)
    const folders = new Map<string, AppFolder>()
    const changed = new Map<string, readonly ListedFile[]>()
    const pause = createTimeSlice()
    const paths = told.length > 0 ? told.map(({ rawPath }) => rawPath) : [...byFolder.keys()]
    for (const path of paths) {
      await pause()
      const files = byFolder.get(path)
      const { tree = null, files: count = 0, isKnown = false } = toldOf.get(path) ?? {}
      const folder = before?.teams.get(teamPathOf(path))?.folders.get(path)
      if (folder && isKnown) folders.set(path, folder)
      else if (files && folder?.version === versionOf(path, files)) {
        folders.set(path, { ...folder, tree, files: count })
      } else if (files) changed.set(path, files)
    }
    const read = await readFolders(commit, changed, (path, made) => {
      const { tree = null, files = 0 } = toldOf.get(path) ?? {}
      if (made === null) cut.add(path)
      else folders.set(path, { ...made, tree, files })
    })
    if (!read.ok) return read
    const teams = new Map<string, TeamFolder>()
    for (const [path, inside] of Map.groupBy(paths, teamPathOf)) {
      await pause()
      const { tree = null, files = 0, isKnown = false } = toldOf.get(path) ?? {}
      const team = before?.teams.get(path)
      const own = inside.flatMap((each) => {
        const folder = folders.get(each)
        return folder === undefined ? [] : [[each, folder] as const]
      })
      teams.set(path, isKnown && team ? team : { ...teamFolderOf(own), tree, files })
    }
    const claims = [...teams.values()].flatMap((team) => team.claims)
    return ok({ commit, tree, teams, claims, cut: [...cut].toSorted() })
  }

  /** Calls `onFolder` as soon as the files of an application are there, with `null` where one is damaged. */
  async function readFolders(
    commit: ObjectId,
    folders: ReadonlyMap<string, readonly ListedFile[]>,
    onFolder: (folder: string, made: ReadFolder | null) => void,
  ): Promise<Result<void, GitFailure>> {
    const pause = createTimeSlice()
    const unread = new Map<RepositoryPath, UnreadFolder>()
    for (const [name, files] of folders) {
      const read = { texts: new Map(), claims: new Map() }
      const folder = {
        name: RepositoryPath.of(name),
        files,
        left: files.length,
        read,
        isDamaged: false,
      }
      for (const { path } of files) unread.set(path, folder)
      if (files.length === 0) onFolder(name, made(folder))
      await pause()
    }
    const files = [...folders.values()].flat()
    if (files.length === 0) return ok(undefined)
    for await (const read of gitHost.readFiles(repository, commit, files, OVERLAY_BYTES_MAX)) {
      const file = contentOf(read)
      if (!file.ok) return file
      const folder = unread.get(file.value.path)
      if (folder === undefined) continue
      const { path, bytes } = file.value
      const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
      if (text !== undefined) addFile(folder.name, folder.read, path, text)
      folder.isDamaged ||= !read.ok
      folder.left -= 1
      if (folder.left === 0) onFolder(folder.name, made(folder))
      await pause()
    }
    return ok(undefined)
  }

  function made({ name, files, read, isDamaged }: UnreadFolder): ReadFolder | null {
    return isDamaged ? null : appFolderOf(name, files, read, pipeline)
  }

  return {
    async read(commit) {
      if (last?.commit === commit) return ok(last)
      const read = await flights.join(commit, () => load(commit, last))
      if (read.ok) last = read.value
      return read
    },
  }
}

/** Every team and every application, by path. */
function foldersOf({ teams }: AppsAtCommit): KnownFolders {
  const folders = new Map<string, TeamFolder | AppFolder>(teams)
  for (const team of teams.values()) {
    for (const [path, folder] of team.folders) folders.set(path, folder)
  }
  return folders
}

/** `apps/payments` of that folder and all below it. */
const teamPathOf = (path: string): string => path.split('/', 2).join('/')

const teamFolderOf = (folders: readonly (readonly [string, AppFolder])[]) => ({
  folders: new Map(folders),
  bytes: folders.reduce((sum, [, { bytes }]) => sum + bytes, 0),
  claims: folders.flatMap(([, folder]) => folder.claims),
})

/** A damaged file has no bytes; any other failure concerns them all. */
function contentOf(
  read: Result<FileContent, GitFailure>,
): Result<Pick<FileContent, 'path' | 'bytes'>, GitFailure> {
  if (read.ok || read.error.kind !== 'git_file_unreadable') return read
  return ok({ path: read.error.path, bytes: null })
}

interface UnreadFolder {
  readonly name: RepositoryPath
  readonly files: readonly ListedFile[]
  left: number
  readonly read: ReadFiles
  isDamaged: boolean
}
