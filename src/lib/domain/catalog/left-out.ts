import { folderBelow } from '../../files/folder-below.ts'
import type { RepositoryPath } from '../../names.ts'
import { type CatalogProblem, fileFinding } from './problem.ts'

/** Why a file of the catalog is not in a snapshot. */
export type Omission = 'catalog_too_large' | 'file_pending' | 'file_unreadable'

export type LeftOut = ReadonlyMap<RepositoryPath, Omission>

/** Files of one folder that are named one by one. */
const NAMED_MAX = 20

const messages = {
  catalog_too_large: 'left out, because the catalog is too large; the largest folders lose first',
  file_pending:
    'not read yet, because too much of the catalog is new; its entities are served as they were until it is read, which is soon',
  file_unreadable: 'left out, because the git host has lost or damaged its content',
} as const satisfies Record<Omission, string>

/** Names each file that is left out, or its folder where they are many. */
export function problemsOfLeftOut(leftOut: LeftOut, directory: string): readonly CatalogProblem[] {
  const groups = Map.groupBy(
    leftOut,
    ([path, omission]) => `${omission} ${folderBelow(directory, path)}`,
  )
  return [...groups.values()].flatMap((files) => {
    const [first] = files
    if (first === undefined || files.length <= NAMED_MAX) {
      return files.map(([path, omission]) => problemOf(path, omission, messages[omission]))
    }
    const [path, omission] = first
    const message = `${files.length} files of this folder, such as ${path}: ${messages[omission]}`
    return [problemOf(folderBelow(directory, path), omission, message)]
  })
}

const problemOf = (path: string, code: Omission, message: string): CatalogProblem => ({
  ...fileFinding(code, message),
  path,
})
