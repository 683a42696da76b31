import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../concurrency/lazily.ts'
import type {
  ClusterFailure,
  ListQuery,
  Page,
  Selection,
  Watch,
  WatchStart,
} from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { type Rule, TEXT_RULES } from '../../schema/rules.ts'
import { parseJson } from '../../text/json.ts'
import type { GrantedAccess } from './access.ts'
import { PAGE_ITEMS, withReadDeadline } from './all-pages.ts'
import type { Later } from './follow.ts'

/** A kind of object that people list and follow, as views. */
export interface Resource<View> {
  readonly plural: string
  readonly list: (
    access: GrantedAccess,
    query: ListQuery,
  ) => Promise<Result<Page<View>, ClusterFailure>>
  readonly watch: (access: GrantedAccess, from: WatchStart) => Watch<View>
  readonly later?: (view: View) => Later<View> | null
}

/** Items of one answer; a cursor leads to the rest. */
export const ITEMS_MAX = 5_000
/** Bytes read from the API server for one answer: 5,000 pods are about 45 MB. */
const LIST_MAX_BYTES = 96 * 1024 * 1024
/** An API server may return shorter pages than requested, but not endlessly. */
const PAGES_MAX = 50

export interface ListRequest extends Selection {
  readonly cursor: string | null
}

export interface Listing<View> {
  readonly items: readonly View[]
  /** `null` after the last item. */
  readonly cursor: string | null
}

export type ListFailure =
  | ClusterFailure
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  /** The API server no longer has the version of the list that the cursor belongs to. */
  | { readonly kind: 'cursor_expired' }

const invalid = (path: string, rule: Rule, message: string) =>
  ({ kind: 'validation_failed', errors: [{ path, rule, message }] }) as const
const NOT_A_CURSOR = invalid('/query/cursor', 'cursor', TEXT_RULES.cursor)
const NOT_A_SELECTOR = invalid(
  '/query/labelSelector',
  'label_selector',
  'must be a label selector of Kubernetes, such as app.kubernetes.io/name=payments-api',
)
const REFUSED = { kind: 'cluster_error', reason: 'a list of all was refused as invalid' } as const

/** Lists page by page, until the end of the list or a limit of one answer. */
export async function listResource<View>(
  { plural, list }: Resource<View>,
  given: GrantedAccess,
  request: ListRequest,
): Promise<Result<Listing<View>, ListFailure>> {
  const { labelSelector, name, cursor } = request
  const access = withReadDeadline(given)
  const { cluster, namespace } = access
  const scope = [
    cluster.id,
    namespace,
    plural,
    labelSelector ?? '',
    ...(name === undefined ? [] : [name]),
  ]
  const start = cursor === null ? null : decodeCursor(cursor, scope)
  if (start === undefined) return err(NOT_A_CURSOR)
  const items: View[] = []
  let bytes = 0
  let after = start
  for (let pages = 1; ; pages++) {
    const page = await list(access, { limit: PAGE_ITEMS, after, labelSelector, name })
    if (!page.ok) return err(listFailure(page.error, request))
    items.push(...page.value.items)
    bytes += page.value.bytes
    after = page.value.next
    if (after === null) return ok({ items, cursor: null })
    if (items.length >= ITEMS_MAX || bytes >= LIST_MAX_BYTES || pages === PAGES_MAX) {
      return ok({ items, cursor: encodeCursor(scope, after) })
    }
  }
}

/** The API server parses only the selector and the token within a cursor; a cursor has been accepted with its selector before. */
export function listFailure(
  failure: ClusterFailure,
  { labelSelector, cursor }: ListRequest,
): ListFailure {
  if (failure.kind === 'cluster_expired') return { kind: 'cursor_expired' }
  if (failure.kind !== 'cluster_invalid') return failure
  if (cursor !== null) return NOT_A_CURSOR
  return labelSelector === null ? REFUSED : NOT_A_SELECTOR
}

/** A cursor is opaque to clients. It holds its scope, so that another list rejects it, and the API server's `continue`. */
export const encodeCursor = (scope: readonly string[], after: string): string =>
  Buffer.from(JSON.stringify([...scope, after])).toString('base64url')

const CursorParts = lazily(() => Compile(Type.Array(Type.String())))

/** Returns `undefined` if it is not a cursor of this scope. */
export function decodeCursor(cursor: string, scope: readonly string[]): string | undefined {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!CursorParts().Check(parts) || parts.length !== scope.length + 1) return undefined
  return scope.every((part, index) => part === parts[index]) ? parts.at(-1) : undefined
}
