import { relationsIn } from './relations.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

/** An entity of others that own entities depend on, or whose API they call. */
export interface Need {
  readonly entity: CatalogEntity
  /** Own entities that name it. */
  readonly neededBy: readonly CatalogEntity[]
  /** Of an API: the entities that provide it. */
  readonly providers: readonly CatalogEntity[]
}

/** What some entities need from others, in the order of the catalog. */
export async function needsOf(
  snapshot: Snapshot,
  own: readonly CatalogEntity[],
): Promise<readonly Need[]> {
  const relations = await relationsIn(snapshot)
  const ours = new Set(own)
  const neededBy = new Map<CatalogEntity, CatalogEntity[]>()
  for (const entity of own) {
    for (const { type, target } of await relations.of(entity)) {
      const isNeed = type === 'dependsOn' || type === 'consumesApi'
      if (!isNeed || target === null || ours.has(target)) continue
      neededBy.getOrInsertComputed(target, () => []).push(entity)
    }
  }
  const needed = snapshot.entities.filter((entity) => neededBy.has(entity))
  return Promise.all(
    needed.map(async (entity) => ({
      entity,
      neededBy: neededBy.get(entity) ?? [],
      providers: (await relations.of(entity)).flatMap(({ type, target }) =>
        type === 'apiProvidedBy' && target !== null ? [target] : [],
      ),
    })),
  )
}
