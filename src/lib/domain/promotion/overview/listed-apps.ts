import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { folderBelow } from '../../../folder-below.ts'
import { RepositoryPath } from '../../../names.ts'
import type { FileListing, ListedFile } from '../../../ports/git-host.ts'
import { isAppFile } from './app-folder.ts'

export const APPS = RepositoryPath.of('apps')

/** Files of one team that are read, and their bytes: teams share the time and memory of the process. */
const FILES_OF_TEAM_MAX = 20_000
const BYTES_OF_TEAM_MAX = 20 * 1024 * 1024
/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 512

export interface ListedApps {
  /** The files to read, by the folder of their application, which may have none of them. */
  readonly byFolder: ReadonlyMap<string, readonly ListedFile[]>
  /** Folders of teams that are not listed whole. */
  readonly cut: ReadonlySet<string>
}

/** Groups the files below `apps/` by application, in slices of the event loop. */
export async function groupByApplication({ files, skipped }: FileListing): Promise<ListedApps> {
  const byFolder = new Map<string, ListedFile[]>()
  const cut = new Set<string>()
  for (const { rawPath, reason } of skipped) if (reason === 'too_many_files') cut.add(rawPath)
  const used = new Map<string, { files: number; bytes: number }>()
  await visitInSlices(files, createTimeSlice(), (file) => {
    const team = folderBelow(APPS, file.path)
    const folder = folderBelow(team, file.path)
    if (folder === team) return
    const share = used.get(team) ?? { files: 0, bytes: 0 }
    used.set(team, share)
    const isRead = isAppFile(file.path.slice(folder.length))
    const known = byFolder.get(folder)
    if (known !== undefined && !isRead) return
    share.files += 1
    share.bytes += file.sizeBytes ?? USUAL_FILE_BYTES
    if (share.files > FILES_OF_TEAM_MAX || share.bytes > BYTES_OF_TEAM_MAX) {
      cut.add(team)
      return
    }
    const ofFolder = known ?? []
    byFolder.set(folder, ofFolder)
    if (isRead) ofFolder.push(file)
  })
  return { byFolder, cut }
}
