import type { ClusterFailure, ListQuery, Page } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/** What a list shows at most; the rest follows with a cursor. */
export const ITEMS_MAX = 5_000
/** Ordinary pods are less than two thousand characters each. */
const CHARACTERS_MAX = 32 * 1024 * 1024
/** Of one page of the API server: what a person waits for, and what is held unparsed at a time. */
const PAGE_ITEMS = 500
/** An API server may give less than was asked for, but not for ever. */
const PAGES_MAX = 50

export interface ListRequest {
  readonly labelSelector: string | null
  readonly cursor: string | null
}

export type ListFailure =
  | ClusterFailure
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  /** The API server has forgotten the list that the cursor belongs to. */
  | { readonly kind: 'cursor_expired' }

const NOT_A_CURSOR = {
  kind: 'validation_failed',
  errors: [{ path: '/query/cursor', message: 'must be one that this list gave' }],
} as const

const NOT_A_SELECTOR = {
  kind: 'validation_failed',
  errors: [{ path: '/query/labelSelector', message: 'must be a label selector of Kubernetes' }],
} as const

const REFUSED = { kind: 'cluster_error', reason: 'a list of all was refused as invalid' } as const

/** Page by page, until there are enough. */
export async function gather(
  about: readonly string[],
  request: ListRequest,
  read: (query: ListQuery) => Promise<Result<Page<string>, ClusterFailure>>,
): Promise<Result<Page<string>, ListFailure>> {
  const { labelSelector, cursor } = request
  const of = [...about, labelSelector ?? '']
  const from = cursor === null ? null : decodeCursor(cursor, of)
  if (from === undefined) return err(NOT_A_CURSOR)
  const items: string[] = []
  let characters = 0
  let after = from
  for (let pages = 1; ; pages++) {
    const page = await read({ limit: PAGE_ITEMS, after, labelSelector })
    if (!page.ok) return err(listFailure(page.error, request))
    for (const item of page.value.items) {
      items.push(item)
      characters += item.length
    }
    const { next, resourceVersion } = page.value
    if (next === null) return ok({ items, next: null, resourceVersion })
    const isEnough = items.length >= ITEMS_MAX || characters >= CHARACTERS_MAX
    if (isEnough || pages === PAGES_MAX) {
      return ok({ items, next: encodeCursor({ of, after: next }), resourceVersion })
    }
    after = next
  }
}

/** Of what a person gave, the API server reads the inside of the cursor and the selector, which a cursor has been read with. */
export function listFailure(
  failure: ClusterFailure,
  { labelSelector, cursor }: ListRequest,
): ListFailure {
  if (failure.kind === 'cluster_expired') return { kind: 'cursor_expired' }
  if (failure.kind !== 'cluster_invalid') return failure
  if (cursor !== null) return NOT_A_CURSOR
  return labelSelector === null ? REFUSED : NOT_A_SELECTOR
}
