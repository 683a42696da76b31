import { isObject } from '../../text/json.ts'
import { EntityKind, Label } from '../../names.ts'
import { fold } from './fold.ts'
import type { ProblemCode } from './problem.ts'
import type { SearchText } from './search-index.ts'

/** What the catalog looks at of an entity. The entity itself stays the JSON that was made of its file. */
export interface EntityCard {
  readonly kind: string
  readonly name: string
  readonly type: string | null
  readonly lifecycle: string | null
  readonly owner: string | null
  readonly system: string | null
}

export interface EntityFault {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  /** Where in the document, from its root. */
  readonly at: readonly (string | number)[]
  readonly message: string
}

/** `card: null` exactly when a fault is an error. */
export interface EntityReading {
  readonly card: EntityCard | null
  /** What full text looks at: there when the card is. */
  readonly text: SearchText | null
  readonly ref: string | null
  readonly faults: readonly EntityFault[]
}

/** The key of an entity: `kind/name`, in lower case. */
export const entityRef = (kind: string, name: string): string => `${kind}/${name}`.toLowerCase()

const OWNER = /^(?:group:)?(?:[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/

/** Reads the envelope that every entity shares. Everything else passes through unread. */
export function readEntity(document: unknown, lifecycles: readonly string[]): EntityReading {
  if (!isObject(document)) {
    return refused(
      'document_not_mapping',
      [],
      'a document must be a mapping with apiVersion, kind and metadata',
    )
  }
  const faults: EntityFault[] = []
  const root: Place = { mapping: document, at: [], faults }
  const { kind, name, ref, metadata } = readIdentity(root)
  const description = readDescription(metadata)
  const traits = readTraits(optionalMapping(root, 'spec'), lifecycles)
  if (kind === null || name === null || faults.some(({ severity }) => severity === 'error')) {
    return { card: null, text: null, ref, faults }
  }
  const card = { kind, name, ...traits }
  return { card, text: searchTextOf(card, description), ref, faults }
}

function readIdentity(root: Place) {
  const { faults } = root
  requiredText(root, 'apiVersion')
  const kind = requiredText(root, 'kind')
  const metadata = requiredMapping(root, 'metadata')
  const name = requiredText(metadata, 'name')
  const isKind = EntityKind.parse(kind) !== undefined
  const isName = Label.parse(name) !== undefined
  if (kind !== null && !isKind) {
    faults.push(invalid(['kind'], `kind must match ${EntityKind.pattern}`))
  }
  if (name !== null && !isName) {
    faults.push(invalid(['metadata', 'name'], 'metadata.name must be a DNS-1123 label'))
  }
  const ref = kind !== null && isKind && name !== null && isName ? entityRef(kind, name) : null
  return { kind, name, ref, metadata }
}

type Description = ReturnType<typeof readDescription>

const readDescription = (metadata: Place) => ({
  title: optionalText(metadata, 'title'),
  description: optionalText(metadata, 'description'),
  tags: texts(metadata, 'tags'),
  annotations: textsOfMapping(metadata, 'annotations'),
})

function readTraits(spec: Place, lifecycles: readonly string[]): Omit<EntityCard, 'kind' | 'name'> {
  const { faults } = spec
  const type = optionalText(spec, 'type')
  const lifecycle = optionalText(spec, 'lifecycle')
  const owner = optionalText(spec, 'owner')
  const system = optionalText(spec, 'system')
  if (lifecycle !== null && !lifecycles.includes(lifecycle.toLowerCase())) {
    faults.push({
      severity: 'warning',
      code: 'lifecycle_unknown',
      at: ['spec', 'lifecycle'],
      message: `spec.lifecycle should be one of ${lifecycles.join(', ')}`,
    })
  }
  if (owner !== null && !OWNER.test(owner)) {
    faults.push({
      severity: 'warning',
      code: 'owner_unrecognised',
      at: ['spec', 'owner'],
      message: 'spec.owner should have the form group:<org>/<team>',
    })
  }
  return { type, lifecycle, owner, system }
}

function searchTextOf(
  { name, type, system, owner }: EntityCard,
  { title, description, tags, annotations }: Description,
): SearchText {
  const rest = [description, ...tags, type, system, owner, ...annotations]
  return {
    name: fold(name),
    title: fold(title ?? ''),
    rest: fold(rest.filter((part) => part !== null).join('\n')),
  }
}

type Mapping = Readonly<Record<string, unknown>>
type At = readonly (string | number)[]

/** Own properties only: `constructor` and `__proto__` are names like any other in a file. */
const own = (mapping: Mapping | null, key: string): unknown =>
  mapping !== null && Object.hasOwn(mapping, key) ? mapping[key] : undefined

const DOTTED_MAX_LENGTH = 200

const dotted = (at: At): string => {
  const path = at.join('.')
  return path.length > DOTTED_MAX_LENGTH ? `${path.slice(0, DOTTED_MAX_LENGTH)}…` : path
}

const invalid = (at: At, message: string): EntityFault => ({
  severity: 'error',
  code: 'field_invalid',
  at,
  message,
})

const refused = (code: ProblemCode, at: At, message: string): EntityReading => ({
  card: null,
  text: null,
  ref: null,
  faults: [{ severity: 'error', code, at, message }],
})

/** A mapping whose fields are read. */
interface Place {
  /** `null`: it is not there, or is none. */
  readonly mapping: Mapping | null
  readonly at: At
  readonly faults: EntityFault[]
}

/** These read the fields of a place. What has another type than clients may count on is a fault. */
function requiredText(place: Place, key: string): string | null {
  if (place.mapping === null) return null
  const value = own(place.mapping, key) ?? null
  return value === null || value === '' ? missing(place, key) : optionalText(place, key)
}

function optionalText(place: Place, key: string): string | null {
  const value = own(place.mapping, key) ?? null
  if (value === null || typeof value === 'string') return value
  return wrong(place, key, 'a string')
}

function requiredMapping(place: Place, key: string): Place {
  const value = own(place.mapping, key) ?? null
  if (value === null) missing(place, key)
  return optionalMapping(place, key)
}

function optionalMapping(place: Place, key: string): Place {
  const value = own(place.mapping, key) ?? null
  const mapping = isObject(value) ? value : null
  if (mapping === null && value !== null) wrong(place, key, 'a mapping')
  return { mapping, at: [...place.at, key], faults: place.faults }
}

function texts(place: Place, key: string): readonly string[] {
  const value = own(place.mapping, key) ?? []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  wrong(place, key, 'a list of strings')
  return []
}

function textsOfMapping(place: Place, key: string): readonly string[] {
  const { mapping, at, faults } = optionalMapping(place, key)
  return Object.entries(mapping ?? {}).flatMap(([name, item]) => {
    if (typeof item === 'string') return [item]
    const where = [...at, name]
    const message = `${dotted(where)} should be a string`
    faults.push({ severity: 'warning', code: 'field_invalid', at: where, message })
    return []
  })
}

function missing({ at, faults }: Place, key: string): null {
  const where = [...at, key]
  const message = `${dotted(where)} is missing`
  faults.push({ severity: 'error', code: 'field_missing', at: where, message })
  return null
}

function wrong({ at, faults }: Place, key: string, type: string): null {
  const where = [...at, key]
  faults.push(invalid(where, `${dotted(where)} must be ${type}`))
  return null
}
