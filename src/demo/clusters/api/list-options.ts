import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { isTrue } from './attributes.ts'
import { type ListPosition, parseToken } from './continue-token.ts'
import { parseFieldSelector } from './field-selector.ts'
import { parseLabelSelector } from './label-selector.ts'
import { invalid } from './object-refusal.ts'
import { badRequest, type Outcome } from './refusal.ts'

/** The parsed query of a list or a watch. */
export interface ListOptions<Of extends Resource> {
  /** Matches by namespace, labels and fields. */
  readonly selects: (object: Kinds[Of]) => boolean
  /** Whether the query has a label or field selector. */
  readonly isSelective: boolean
  readonly limit: number | undefined
  readonly from: ListPosition | undefined
  /** `any` accepts the state of the watch cache (`resourceVersion=0`). */
  readonly version: 'any' | 'newest' | number
  readonly timeoutSeconds: number | undefined
  readonly bookmarks: boolean
  readonly initialEvents: boolean
}

export function parseListOptions<Of extends Resource>(
  resource: Of,
  namespace: string | undefined,
  query: URLSearchParams,
): Outcome<ListOptions<Of>> {
  const labels = parseLabelSelector(query.get('labelSelector'))
  if (!labels.ok) return labels
  const fields = parseFieldSelector(resource, query.get('fieldSelector'))
  if (!fields.ok) return fields
  const [limit, timeoutSeconds] = [readNumber(query, 'limit'), readNumber(query, 'timeoutSeconds')]
  if (!limit.ok) return limit
  if (!timeoutSeconds.ok) return timeoutSeconds
  const version = readVersion(query.get('resourceVersion') ?? '')
  if (!version.ok) return version

  const token = query.get('continue') ?? ''
  const from = token === '' ? ok(undefined) : parseToken(token)
  if (!from.ok) return from
  if (from.value !== undefined && typeof version.value === 'number') {
    return badRequest('specifying resource version is not allowed when using continue')
  }
  const match = query.get('resourceVersionMatch') ?? ''
  const initialEvents = isTrue(query.get('sendInitialEvents'))
  if (initialEvents && match !== 'NotOlderThan') return MATCH_REQUIRED
  return ok({
    selects: (object) =>
      (namespace === undefined || namespace === object.metadata.namespace) &&
      labels.value(object.metadata.labels ?? {}) &&
      fields.value(object),
    isSelective: ['labelSelector', 'fieldSelector'].some((name) => query.get(name)),
    limit: limit.value === 0 ? undefined : limit.value,
    from: from.value,
    version: version.value,
    timeoutSeconds: timeoutSeconds.value,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    initialEvents,
  })
}

const MATCH_REQUIRED = invalid({ kind: 'ListOptions', group: 'meta.k8s.io' }, '', [
  {
    reason: 'FieldValueForbidden',
    field: 'resourceVersionMatch',
    message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  },
])

function readNumber(query: URLSearchParams, name: string): Outcome<number | undefined> {
  const text = query.get(name) ?? ''
  if (text === '') return ok(undefined)
  return /^\d{1,9}$/.test(text) ? ok(Number(text)) : badRequest(`invalid ${name}: "${text}"`)
}

function readVersion(text: string): Outcome<'any' | 'newest' | number> {
  if (text === '') return ok('newest')
  if (text === '0') return ok('any')
  if (/^[1-9]\d{0,14}$/.test(text)) return ok(Number(text))
  return badRequest(`Invalid value: "${text}": invalid resource version`)
}
