import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../../../names.ts'
import type { FileContent, GitFailure, GitHost, ListedFile } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import { OVERLAY_BYTES_MAX } from '../../gitops/overlay.ts'
import { defaultLimits, type RepositoryLimits } from '../../catalog/admission.ts'
import type { OverlayClaim } from '../overlay/claims.ts'
import type { Pipeline } from '../pipeline.ts'
import { addFile, type AppFolder, appFolderOf, type ReadFiles, versionOf } from './app-folder.ts'
import { APPS, groupByApplication } from './listed-apps.ts'

/** Every application at one commit. */
export interface AppsAtCommit {
  readonly commit: ObjectId
  /** Equal trees have equal applications. */
  readonly tree: ObjectId | null
  /** By folder, such as `apps/payments/shop`. */
  readonly folders: ReadonlyMap<string, AppFolder>
  readonly claims: readonly OverlayClaim[]
  /** Sorted folders of teams with more files than are read, and of applications with a damaged file: more may be in them. */
  readonly cut: readonly string[]
}

export interface AppsReader {
  read(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>>
}

/**
 * All applications from one listing. Those whose files are unchanged since the last reading are not read again. A team whose folder is
 * too large, or damaged, loses applications and claims of its own, and no other team's.
 */
export function createAppsReader(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
  pipeline: Pipeline,
  { filesMax, memoryMaxBytes }: RepositoryLimits = defaultLimits,
): AppsReader {
  const flights = createSingleFlight<Result<AppsAtCommit, GitFailure>>()
  let last: AppsAtCommit | undefined

  async function load(commit: ObjectId): Promise<Result<AppsAtCommit, GitFailure>> {
    const before = last
    const at = { commit, directory: APPS, filesMax }
    const listed = await gitHost.listFiles(repository, at)
    if (!listed.ok) return listed
    const { tree } = listed.value
    if (before?.tree === tree && before.cut.length === 0) return ok({ ...before, commit })
    const { byFolder, cut: ofTeams } = await groupByApplication(listed.value, memoryMaxBytes)

    const cut = new Set(ofTeams)
    const folders = new Map<string, AppFolder>()
    const changed = new Map<string, readonly ListedFile[]>()
    const pause = createTimeSlice()
    for (const [folder, files] of byFolder) {
      await pause()
      const version = versionOf(folder, files)
      const known = before?.folders.get(folder)
      if (known?.version === version) folders.set(folder, known)
      else changed.set(folder, files)
    }
    const read = await readFolders(commit, changed, (folder, made) => {
      if (made === null) cut.add(folder)
      else folders.set(folder, made)
    })
    if (!read.ok) return read
    const claims = [...byFolder.keys()].flatMap((folder) => folders.get(folder)?.claims ?? [])
    return ok({ commit, tree, folders, claims, cut: [...cut].toSorted() })
  }

  /** Calls `onFolder` as soon as the files of an application are there, with `null` where one is damaged. */
  async function readFolders(
    commit: ObjectId,
    folders: ReadonlyMap<string, readonly ListedFile[]>,
    onFolder: (folder: string, made: AppFolder | null) => void,
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

  function made({ name, files, read, isDamaged }: UnreadFolder): AppFolder | null {
    return isDamaged ? null : appFolderOf(name, files, read, pipeline)
  }

  return {
    async read(commit) {
      if (last?.commit === commit) return ok(last)
      const read = await flights.join(commit, () => load(commit))
      if (read.ok) last = read.value
      return read
    },
  }
}

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
