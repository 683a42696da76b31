import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { keyOf, type Store } from '../store.ts'
import { toToken } from './continue-token.ts'
import type { ListOptions } from './list-options.ts'
import { expired, tooLargeVersion, type Outcome } from './refusal.ts'

/** One page of a list. All pages show the same version of the cluster. */
export interface ListPage<Of extends Resource> {
  readonly items: readonly Kinds[Of][]
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
}

export function list<Of extends Resource>(
  store: Store,
  resource: Of,
  options: ListOptions<Of>,
): Outcome<ListPage<Of>> {
  const { limit, from, selects, isSelective } = options
  const snapshot = snapshotOf(store, resource, options)
  if (!snapshot.ok) return snapshot
  const { version, objects } = snapshot.value
  const matching = objects.filter(selects)
  const rest =
    from === undefined ? matching : matching.filter((object) => keyOf(object) > from.after)
  // With `resourceVersion=0` the watch cache answers, which ignores limits.
  const items = limit === undefined || options.version === 'any' ? rest : rest.slice(0, limit)
  const last = items.at(-1)
  const metadata = { resourceVersion: String(version) }
  if (last === undefined || items.length === rest.length) return ok({ items, metadata })
  return ok({
    items,
    metadata: {
      ...metadata,
      continue: toToken({ version, after: keyOf(last) }),
      ...(!isSelective && { remainingItemCount: rest.length - items.length }),
    },
  })
}

function snapshotOf<Of extends Resource>(
  store: Store,
  resource: Of,
  { from, version }: ListOptions<Of>,
): Outcome<{ version: number; objects: readonly Kinds[Of][] }> {
  const requested = from?.version ?? version
  if (typeof requested === 'number' && requested > store.version) {
    return tooLargeVersion(requested, store.version)
  }
  // Without a continue token every version asks for that one or a newer one.
  if (from === undefined) return ok({ version: store.version, objects: store.list(resource) })
  const objects = store.listAt(resource, from.version)
  return objects === undefined
    ? expired('The provided continue parameter is too old to display a consistent list result.')
    : ok({ version: from.version, objects })
}
