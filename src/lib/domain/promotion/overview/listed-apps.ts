import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { folderBelow } from '../../../files/folder-below.ts'
import { RepositoryPath } from '../../../names.ts'
import type { FileListing, ListedFile } from '../../../ports/git-host.ts'
import { admit } from '../../catalog/admission.ts'
import { isAppFile, sizeOf } from './app-folder.ts'

export const APPS = RepositoryPath.of('apps')

/** `apps/<team>/<app>` of a path in it. `null`: it is in none. */
export function applicationFolderOf(path: string): string | null {
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
    if (isAppFile(file.path.slice(folder.length))) readable.set(file, ofFolder)
  })
  const { admitted, refused } = await admit([...readable.keys()], sizeOf, APPS, bytesMax)
  await visitInSlices(admitted, createTimeSlice(), (file) => readable.get(file)?.push(file))
  const cut = new Set<string>(refused.map(({ path }) => folderBelow(APPS, path)))
  for (const { rawPath, reason } of skipped) if (reason === 'too_many_files') cut.add(rawPath)
  return { byFolder, cut }
}
