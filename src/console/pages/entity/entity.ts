import type { AnswerOf } from '../../api/call.ts'

export type Entity = AnswerOf<'get', '/api/v1/catalog/entities/{kind}/{name}'>

/** The document of an API. */
export function definitionOf({ spec }: Entity): string | undefined {
  const definition = spec?.['definition']
  return typeof definition === 'string' ? definition : undefined
}

/** Kinds that are described and never deployed. */
const NEVER_PROMOTED: ReadonlySet<string> = new Set([
  'api',
  'resource',
  'system',
  'domain',
  'group',
  'user',
])

export const isPromoted = (kind: string): boolean => !NEVER_PROMOTED.has(kind.toLowerCase())

/** The list of relations is the main thing to see of these. */
export const isMadeOfRelations = (kind: string): boolean =>
  ['domain', 'user'].includes(kind.toLowerCase())

/** Finds what belongs to an entity, by a filter of the catalog. */
export interface ContentsFilter {
  readonly title: string
  readonly query: { readonly system?: string; readonly owner?: string }
}

/** The catalog can be filtered by systems and owners, and by nothing else that entities belong to. */
export function contentsFilterOf(kind: string, name: string): ContentsFilter | null {
  switch (kind.toLowerCase()) {
    case 'system':
      return { title: 'Parts', query: { system: name } }
    case 'group':
      return { title: 'Owns', query: { owner: name } }
    default:
      return null
  }
}

/** Further fields of groups and users. Others are in the source. */
const FIELDS = [
  ['E-mail', (spec) => isRecord(spec['profile']) && spec['profile']['email']],
  ['Parent', (spec) => spec['parent']],
  ['Children', (spec) => spec['children']],
  ['Groups', (spec) => spec['memberOf']],
] as const satisfies readonly (readonly [string, (spec: Fields) => unknown])[]

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Labels and texts; files may have anything, so that only texts and lists of texts are taken. */
export const specFacts = (spec: unknown): readonly (readonly [string, string])[] =>
  isRecord(spec)
    ? FIELDS.map(([label, read]) => [label, textsOf(read(spec)).join(', ')] as const).filter(
        ([, text]) => text !== '',
      )
    : []

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')

type Annotations = Readonly<Record<string, unknown>> | null | undefined

export interface Deprecation {
  readonly reason: string | null
  /** A reference to the entity that takes over, such as `component:invoice-service`. */
  readonly replacedBy: string | null
  readonly sunsetAt: string | null
  readonly by: string | null
  readonly at: string | null
}

const PREFIX = 'portico/deprecated-'

/** Why an entity is deprecated, as its annotations have it; null when it is not. */
export function deprecationOf(lifecycle: unknown, annotations: Annotations): Deprecation | null {
  const text = (name: string): string | null => {
    const value = annotations?.[`${PREFIX}${name}`]
    return typeof value === 'string' && value !== '' ? value : null
  }
  if (lifecycle !== 'deprecated') return null
  return {
    reason: text('reason'),
    replacedBy: text('replaced-by'),
    sunsetAt: text('sunset-at'),
    by: text('by'),
    at: text('at'),
  }
}

/** Annotations of others, as text: the portal's own say nothing that the page does not. */
export const otherAnnotations = (
  annotations: Annotations,
): readonly (readonly [string, string])[] =>
  Object.entries(annotations ?? {})
    .filter(([name]) => !name.startsWith('portico/'))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
