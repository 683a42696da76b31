import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
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
import type { OverlayClaims } from '../overlay/claims.ts'
import type { Pipeline } from '../pipeline.ts'
import {
  type AppFolder,
  appFolderOf,
  claimsOf,
  isRowFile,
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
  /** Sorted folders of teams with more files than are read, and of applications with a damaged file: more may be in them. */
  readonly cut: readonly string[]
}

export interface TeamFolder extends Pick<ListedFolder, 'tree' | 'files'> {
  /** Of the files that are read. */
  readonly bytes: number
  /** By folder, such as `apps/payments/shop`. */
  readonly folders: ReadonlyMap<string, AppFolder>
}

type KnownFolders = ReadonlyMap<string, TeamFolder | AppFolder>

export interface AppsReader {
  read(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>>
  /** Of all applications. Their files are most of those that are ever read, and no row needs them. */
  claims(commit: ObjectId): Promise<Result<OverlayClaims, GitFailure>>
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
  /** By what they fill in: a commit that is read again has other folders. */
  const claimFlights = createSingleFlight<Result<void, GitFailure>>()
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
    return ok({ commit, tree, teams, cut: [...cut].toSorted() })
  }

  /** Calls `onFolder` as soon as the files of an application are there, with `null` where one is damaged. */
  async function readFolders(
    commit: ObjectId,
    folders: ReadonlyMap<string, readonly ListedFile[]>,
    onFolder: (folder: string, made: ReadFolder | null) => void,
  ): Promise<Result<void, GitFailure>> {
    const wanted = new Map<string, readonly ListedFile[]>()
    await visitInSlices(folders, createTimeSlice(), ([name, files]) => {
      const ofRow = files.filter(({ path }) => isRowFile(path.slice(name.length)))
      wanted.set(name, ofRow)
    })
    const keep = (_: RepositoryPath, text: string) => text
    return readGroups(commit, wanted, keep, (name, texts) => {
      const directory = RepositoryPath.of(name)
      const files = folders.get(name) ?? []
      onFolder(name, texts && appFolderOf(directory, files, texts, pipeline))
    })
  }

  /** What is kept of files in groups: `null` of a group in which one is damaged, and nothing of a file that is too large or no text. */
  async function readGroups<Group, Kept>(
    commit: ObjectId,
    groups: ReadonlyMap<Group, readonly ListedFile[]>,
    keep: (path: RepositoryPath, text: string) => Kept,
    onGroup: (group: Group, kept: ReadonlyMap<RepositoryPath, Kept> | null) => void,
  ): Promise<Result<void, GitFailure>> {
    const pause = createTimeSlice()
    const unread = new Map<RepositoryPath, UnreadGroup<Group, Kept>>()
    const wanted: ListedFile[] = []
    for (const [group, files] of groups) {
      const ofGroup = { group, left: files.length, kept: new Map(), isDamaged: false }
      for (const file of files) {
        unread.set(file.path, ofGroup)
        wanted.push(file)
      }
      if (files.length === 0) onGroup(group, ofGroup.kept)
      await pause()
    }
    if (wanted.length === 0) return ok(undefined)
    for await (const read of gitHost.readFiles(repository, commit, wanted, OVERLAY_BYTES_MAX)) {
      const file = contentOf(read)
      if (!file.ok) return file
      const { path, bytes } = file.value
      const ofGroup = unread.get(path)
      if (ofGroup === undefined) continue
      const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
      if (text !== undefined) ofGroup.kept.set(path, keep(path, text))
      ofGroup.isDamaged ||= !read.ok
      ofGroup.left -= 1
      if (ofGroup.left === 0) onGroup(ofGroup.group, ofGroup.isDamaged ? null : ofGroup.kept)
      await pause()
    }
    return ok(undefined)
  }

  async function read(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>> {
    if (last?.commit === commit) return ok(last)
    const loaded = await flights.join(commit, () => load(commit, last))
    if (loaded.ok) last = loaded.value
    return loaded
  }

  return {
    read,
    async claims(commit) {
      const apps = await read(commit)
      if (!apps.ok) return apps
      const folders = [...apps.value.teams.values()].flatMap((team) => [...team.folders])
      const unread = folders.flatMap(([, { claims }]) => (claims.known ? [] : [claims]))
      const done = await claimFlights.join(apps.value, () =>
        readGroups(
          commit,
          new Map(unread.map((each) => [each, each.files])),
          claimsOf,
          (each, kept) => {
            if (kept !== null) each.known = each.files.flatMap(({ path }) => kept.get(path) ?? [])
          },
        ),
      )
      if (!done.ok) return done
      const damaged = folders.flatMap(([path, { claims }]) => (claims.known ? [] : path))
      return ok({
        claims: folders.flatMap(([, { claims }]) => claims.known ?? []),
        cut: [...new Set([...apps.value.cut, ...damaged])].toSorted(),
      })
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
})

/** A damaged file has no bytes; any other failure concerns them all. */
function contentOf(
  read: Result<FileContent, GitFailure>,
): Result<Pick<FileContent, 'path' | 'bytes'>, GitFailure> {
  if (read.ok || read.error.kind !== 'git_file_unreadable') return read
  return ok({ path: read.error.path, bytes: null })
}

interface UnreadGroup<Group, Kept> {
  readonly group: Group
  left: number
  readonly kept: Map<RepositoryPath, Kept>
  isDamaged: boolean
}
