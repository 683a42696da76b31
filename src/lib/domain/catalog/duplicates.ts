import type { RepositoryPath } from '../../names.ts'
import { type CatalogProblem, fileFinding } from './problem.ts'
import type { CatalogEntity } from './snapshot.ts'

/** Duplicates of one file that are named one by one, on each side. */
const NAMED_PER_FILE_MAX = 20

/** Adds the problems of entities that several documents have, from both sides; a file with very many gets one for the rest. */
export function createDuplicates(problems: CatalogProblem[]) {
  const counts = new Map<RepositoryPath, number>()

  function name(entity: CatalogEntity, message: string, severity: CatalogProblem['severity']) {
    const { path, line, ref } = entity
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    if (count > NAMED_PER_FILE_MAX) return
    problems.push({
      severity,
      code: 'entity_duplicate',
      path,
      line,
      column: 1,
      ref,
      message,
    })
  }

  return {
    /** `first` is served in place of `entity`. */
    add(entity: CatalogEntity, first: CatalogEntity): void {
      const at = ({ path, line }: CatalogEntity) => `${path}:${line}`
      const hidden = `hidden, because ${at(first)} has the same entity and comes first`
      name(entity, hidden, 'error')
      name(first, `served, and hides the same entity in ${at(entity)}`, 'warning')
    },
    end(): void {
      for (const [path, count] of counts) {
        if (count <= NAMED_PER_FILE_MAX) continue
        const message = `${count - NAMED_PER_FILE_MAX} more entities of this file have duplicates`
        problems.push({ ...fileFinding('entity_duplicate', message), path })
      }
    },
  }
}
