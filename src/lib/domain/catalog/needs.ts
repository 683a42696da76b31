import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { relationOf, type StatedRelation } from './reference.ts'
import { relationsIn, statementsOf } from './relations.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

/** An entity of others that own entities depend on, or whose API they call. */
export interface Need {
  readonly entity: CatalogEntity
  /** Own entities that name it. */
  readonly neededBy: readonly CatalogEntity[]
}

const NEEDS: ReadonlySet<StatedRelation> = new Set(['dependsOn', 'consumesApi'])

/** Dependencies of some entities on others, in the order of the catalog. */
export async function needsOf(
  { entities, byRef }: Snapshot,
  own: readonly CatalogEntity[],
): Promise<readonly Need[]> {
  // There are no others.
  if (own.length === entities.length) return []
  const ours = new Set(own)
  const neededBy = new Map<CatalogEntity, CatalogEntity[]>()
  const pause = createTimeSlice()
  await visitInSlices(statementsOf(own), pause, ({ entity, reference, target, isRepeated }) => {
    const other = target === undefined ? undefined : byRef.get(target)
    if (isRepeated || other === undefined || ours.has(other)) return
    if (NEEDS.has(relationOf(reference))) neededBy.getOrInsertComputed(other, () => []).push(entity)
  })
  return entities.flatMap((entity) => {
    const dependants = neededBy.get(entity)
    return dependants === undefined ? [] : [{ entity, neededBy: dependants }]
  })
}

/** The entities that provide an API. */
export async function providersOf(
  snapshot: Snapshot,
  entity: CatalogEntity,
): Promise<readonly CatalogEntity[]> {
  const relations = await relationsIn(snapshot)
  return (await relations.of(entity)).flatMap(({ type, target }) =>
    type === 'apiProvidedBy' && target !== null ? [target] : [],
  )
}
