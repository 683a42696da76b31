import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { type IncludeObject, renderTable } from '../tables/table.ts'
import { notAcceptable, type Outcome } from './refusal.ts'
import { resources, versionOf } from './resources.ts'

/** Renders objects as themselves or as rows of a table, as the client accepts. */
export interface Representation<Of extends Resource> {
  one(object: Kinds[Of]): unknown
  list(items: readonly Kinds[Of][], metadata: Readonly<Record<string, unknown>>): unknown
  /** Like `one`, for the events of a watch. */
  event(object: Kinds[Of]): unknown
  bookmark(version: number, annotations: Readonly<Record<string, string>>): unknown
}

const TABLE = /;as=Table\b/
const JSON_TYPE = /^(?:\*\/\*|application\/(?:\*|json)\b)/
const INCLUDES: ReadonlySet<string> = new Set<IncludeObject>(['None', 'Metadata', 'Object'])
const isInclude = (text: string): text is IncludeObject => INCLUDES.has(text)

export function chooseRepresentation<Of extends Resource>(
  resource: Of,
  accept: string | null,
  query: URLSearchParams,
  now: () => number,
): Outcome<Representation<Of>> {
  const types = (accept || '*/*').split(',').map((type) => type.trim().replaceAll(' ', ''))
  const chosen = types.find((type) => JSON_TYPE.test(type))
  if (chosen === undefined) return notAcceptable()
  if (!TABLE.test(chosen)) return ok(asObjects(resource))
  const include = query.get('includeObject') ?? ''
  return ok(asTable(resource, isInclude(include) ? include : 'Metadata', now))
}

const bookmarkMetadata = (version: number, annotations: Readonly<Record<string, string>>) => ({
  resourceVersion: String(version),
  creationTimestamp: null,
  ...(Object.keys(annotations).length > 0 && { annotations }),
})

function asObjects<Of extends Resource>(resource: Of): Representation<Of> {
  const type = { kind: resources[resource].kind, apiVersion: versionOf(resource) }
  return {
    one: (object) => object,
    event: (object) => object,
    list: (items, metadata) => ({
      ...type,
      kind: `${type.kind}List`,
      metadata,
      // Items of a list have no `kind` and `apiVersion`.
      items: items.map((item) => ({ ...item, kind: undefined, apiVersion: undefined })),
    }),
    bookmark: (version, annotations) => ({
      ...type,
      metadata: bookmarkMetadata(version, annotations),
      spec: {},
      status: {},
    }),
  }
}

function asTable<Of extends Resource>(
  resource: Of,
  include: IncludeObject,
  now: () => number,
): Representation<Of> {
  const render = (
    objects: readonly Kinds[Of][],
    metadata: Readonly<Record<string, unknown>>,
    hasColumns = true,
  ) => renderTable(resource, objects, { include, now: now(), hasColumns, metadata })
  const versionOfObject = ({ metadata: { resourceVersion } }: Kinds[Of]) => ({ resourceVersion })
  let isFirst = true
  const renderNext = (
    objects: readonly Kinds[Of][],
    metadata: Readonly<Record<string, unknown>>,
  ) => {
    const table = render(objects, metadata, isFirst)
    isFirst = false
    return table
  }
  return {
    one: (object) => render([object], versionOfObject(object)),
    list: render,
    event: (object) => renderNext([object], versionOfObject(object)),
    bookmark: (version, annotations) => renderNext([], bookmarkMetadata(version, annotations)),
  }
}
