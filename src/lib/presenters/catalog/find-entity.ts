import { entityRef } from '../../domain/catalog/entity.ts'
import type { CatalogEntity, Snapshot } from '../../domain/catalog/snapshot.ts'
import { suggest } from '../../domain/catalog/suggest.ts'
import { err, ok, type Result } from '../../result.ts'

/** The entity of a path, or the refusal with what may be meant. */
export function findEntity(
  { byRef, entities }: Snapshot,
  { kind, name }: { readonly kind: string; readonly name: string },
): Result<
  CatalogEntity,
  { readonly kind: 'entity_not_found'; readonly suggestions: ReturnType<typeof suggest> }
> {
  const entity = byRef.get(entityRef(kind, name))
  return entity === undefined
    ? err({ kind: 'entity_not_found', suggestions: suggest(entities, kind, name) })
    : ok(entity)
}
