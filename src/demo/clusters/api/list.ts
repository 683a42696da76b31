import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { keyOf, type Store } from '../store.ts'
import { type ListPosition, toToken } from './continue-token.ts'
import type { ListOptions } from './list-options.ts'
import { expired, fromTheFuture, type Outcome } from './refusal.ts'

/** One page of a list: all its pages are of one moment. */
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
  const moment = momentOf(store, resource, options)
  if (!moment.ok) return moment
  const { version, objects } = moment.value
  const matching = objects.filter(selects)
  const rest =
    from === undefined ? matching : matching.filter((object) => keyOf(object) > from.after)
  // Whatever is at hand is at hand as a whole.
  const items = limit === undefined || options.version === 'any' ? rest : rest.slice(0, limit)
  const last = items.at(-1)
  const metadata = { resourceVersion: String(version) }
  if (last === undefined || items.length === rest.length) return ok({ items, metadata })
  return ok({
    items,
    metadata: {
      ...metadata,
      continue: toToken({ version: isConsistent(from) ? version : undefined, after: keyOf(last) }),
      ...(!isSelective && { remainingItemCount: rest.length - items.length }),
    },
  })
}

const isConsistent = (from: ListPosition | undefined) =>
  from === undefined || from.version !== undefined

function momentOf<Of extends Resource>(
  store: Store,
  resource: Of,
  { from, version, isExact }: ListOptions<Of>,
): Outcome<{ version: number; objects: readonly Kinds[Of][] }> {
  const asked = from === undefined ? version : from.version
  const now = { version: store.version, objects: store.list(resource) }
  if (typeof asked !== 'number') return ok(now)
  if (asked > store.version) return fromTheFuture(asked, store.version)
  if (from === undefined && !isExact) return ok(now)
  const objects = store.listAt(resource, asked)
  if (objects !== undefined) return ok({ version: asked, objects })
  if (from === undefined) return expired('The resourceVersion for the provided list is too old.')
  return expired(TOO_OLD, toToken({ version: undefined, after: from.after }))
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'
