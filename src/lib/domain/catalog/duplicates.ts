import type { RepositoryPath } from '../../names.ts'
import { createNamedPerFile } from './named-per-file.ts'
import type { CatalogProblem } from './problem.ts'

/** An entity, and its place in the repository. */
interface PlacedEntity {
  readonly path: RepositoryPath
  readonly line: number
  readonly ref: string
}

/** Adds the problems of entities that several documents have, from both sides. */
export function createDuplicates(problems: CatalogProblem[]) {
  const named = createNamedPerFile(
    problems,
    'entity_duplicate',
    (count) => `${count} more entities of this file have duplicates`,
  )
  const name = (
    { path, line, ref }: PlacedEntity,
    severity: CatalogProblem['severity'],
    message: string,
  ) => named.add(path, { severity, line, column: 1, ref, message })

  return {
    /** `first` is served in place of `entity`. */
    add(entity: PlacedEntity, first: PlacedEntity): void {
      const at = ({ path, line }: PlacedEntity) => `${path}:${line}`
      name(entity, 'error', `hidden, because ${at(first)} has the same entity and comes first`)
      name(first, 'warning', `served, and hides the same entity in ${at(entity)}`)
    },
    end: () => named.end(),
  }
}
