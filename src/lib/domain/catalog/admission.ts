import {
  createTimeSlice,
  type Pause,
  sortInSlices,
  visitInSlices,
} from '../../concurrency/time-slice.ts'
import { fairShares } from '../../fair-shares.ts'
import { folderBelow } from '../../files/folder-below.ts'
import type { ListedFile } from '../../ports/git-host.ts'

/** Bounds of the catalog, and of the applications, in the gitops repository. What is beyond them is left out, and named. */
export interface RepositoryLimits {
  readonly filesMax: number
  readonly memoryMaxBytes: number
}

/** Unless settings say otherwise. */
export const defaultLimits = { filesMax: 200_000, memoryMaxBytes: 512e6 }

/** The files that fit, and the others. The room is shared fairly among the folders of the first level, small files first. */
export async function admit(
  files: readonly ListedFile[],
  weightOf: (file: ListedFile) => number,
  directory: string,
  weightMax: number,
): Promise<{ readonly admitted: readonly ListedFile[]; readonly refused: readonly ListedFile[] }> {
  const pause = createTimeSlice()
  let total = 0
  await visitInSlices(files, pause, (file) => (total += weightOf(file)))
  if (total <= weightMax) return { admitted: files, refused: [] }

  const folders = [...(await byFolder(files, directory, pause)).values()]
  const demands = folders.map((inside) => inside.reduce((sum, file) => sum + weightOf(file), 0))
  const shares = fairShares(demands, weightMax)
  const refused = new Set<ListedFile>()
  for (const [index, inside] of folders.entries()) {
    let left = shares[index] ?? 0
    const ascending = await sortInSlices(
      inside,
      (one, other) => weightOf(one) - weightOf(other),
      pause,
    )
    await visitInSlices(ascending, pause, (file) => {
      left -= weightOf(file)
      if (left < 0) refused.add(file)
    })
  }
  return { admitted: files.filter((file) => !refused.has(file)), refused: [...refused] }
}

/** An order in which all folders of the first level are equally far at any time, measured in bytes, small files first. */
export async function inFairOrder(
  files: readonly ListedFile[],
  bytesOf: (file: ListedFile) => number,
  directory: string,
): Promise<readonly ListedFile[]> {
  const pause = createTimeSlice()
  const ordered: { readonly file: ListedFile; readonly bytesUntil: number }[] = []
  for (const inside of (await byFolder(files, directory, pause)).values()) {
    const ascending = await sortInSlices(
      inside,
      (one, other) => bytesOf(one) - bytesOf(other),
      pause,
    )
    let bytesUntil = 0
    await visitInSlices(ascending, pause, (file) => {
      bytesUntil += bytesOf(file)
      ordered.push({ file, bytesUntil })
    })
  }
  const sorted = await sortInSlices(
    ordered,
    (one, other) => one.bytesUntil - other.bytesUntil,
    pause,
  )
  return sorted.map(({ file }) => file)
}

async function byFolder(files: readonly ListedFile[], directory: string, pause: Pause) {
  const folders = new Map<string, ListedFile[]>()
  await visitInSlices(files, pause, (file) => {
    const folder = folderBelow(directory, file.path)
    const inside = folders.get(folder)
    if (inside === undefined) folders.set(folder, [file])
    else inside.push(file)
  })
  return folders
}
