import { isObject } from '../../text/json.ts'
import { EntityKind, type EntityRef, Label } from '../../names.ts'
import type { ProblemCode } from './problem.ts'
import { type SearchText, searchTextOf } from './search-text.ts'

/** The fields of an entity that the catalog works with. It is served as the JSON of its document. */
export interface EntityCard {
  readonly kind: string
  readonly name: string
  readonly title: string | null
  readonly tags: readonly string[]
  readonly type: string | null
  readonly lifecycle: string | null
  readonly owner: string | null
  readonly system: string | null
}

export type FieldPath = readonly (string | number)[]

export interface EntityFault {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  /** Path of the field from the root of the document. */
  readonly path: FieldPath
  readonly message: string
}

/** Fields of `spec` that name other entities: `domain` of a system, and the others of any kind. */
export const referenceFields = [
  'dependsOn',
  'providesApis',
  'consumesApis',
  'system',
  'domain',
  'owner',
] as const

export type ReferenceField = (typeof referenceFields)[number]

/** The texts of one field, without empty ones of fields that have no list. */
export interface FieldReferences {
  readonly field: ReferenceField
  readonly texts: readonly string[]
}

/** `entity` is `null` exactly when a fault is an error. */
export interface EntityReading {
  readonly entity: {
    readonly card: EntityCard
    readonly text: SearchText
    readonly references: readonly FieldReferences[]
  } | null
  readonly ref: string | null
  readonly faults: readonly EntityFault[]
}

/** The key of an entity: `kind/name`, in lower case. */
export const entityRef = (kind: string, name: string): string => `${kind}/${name}`.toLowerCase()

/** The key of the entity that a request names; without a kind a component. */
export const refOf = (named: EntityRef): string =>
  (named.includes('/') ? named : `component/${named}`).toLowerCase()

const OWNER = /^(?:group:)?(?:[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/

/**
 * Reads the fields that every entity shares; the others pass through unread. A lifecycle that is not in `lifecycles` is a
 * warning.
 */
export function readEntity(document: unknown, lifecycles: readonly string[]): EntityReading {
  if (!isObject(document)) {
    const message = 'a document must be a mapping with apiVersion, kind and metadata'
    const fault = { severity: 'error', code: 'document_not_mapping', path: [], message } as const
    return { entity: null, ref: null, faults: [fault] }
  }
  const faults: EntityFault[] = []
  const root: Section = { mapping: document, path: [], faults }
  const { kind, name, ref, metadata } = readIdentity(root)
  const title = optionalText(metadata, 'title')
  const description = optionalText(metadata, 'description')
  const tags = texts(metadata, 'tags')
  const annotations = textsOfMapping(metadata, 'annotations')
  checkLinks(metadata)
  const section = optionalMapping(root, 'spec')
  const spec = readSpec(section, lifecycles)
  const references = readReferences(section, kind)
  if (kind === null || name === null || faults.some(({ severity }) => severity === 'error')) {
    return { entity: null, ref, faults }
  }
  const { type, system, owner } = spec
  const others = [description, ...tags, type, system, owner, ...annotations]
  const text = searchTextOf(
    name,
    title ?? '',
    others.filter((part) => part !== null),
  )
  return { entity: { card: { kind, name, title, tags, ...spec }, text, references }, ref, faults }
}

function readIdentity(root: Section) {
  requiredText(root, 'apiVersion')
  const kind = requiredText(root, 'kind')
  const metadata = requiredMapping(root, 'metadata')
  const name = requiredText(metadata, 'name')
  const isKind = EntityKind.parse(kind) !== undefined
  const isName = Label.parse(name) !== undefined
  if (kind !== null && !isKind) {
    report(root, 'kind', INVALID, 'must be letters and digits, such as Component')
  }
  if (name !== null && !isName) {
    const form =
      'must be at most 63 lower-case letters, digits and inner dashes, such as payments-api'
    report(metadata, 'name', INVALID, form)
  }
  const ref = kind !== null && isKind && name !== null && isName ? entityRef(kind, name) : null
  return { kind, name, ref, metadata }
}

function readSpec(
  spec: Section,
  lifecycles: readonly string[],
): Pick<EntityCard, 'type' | 'lifecycle' | 'owner' | 'system'> {
  const type = optionalText(spec, 'type')
  const lifecycle = optionalText(spec, 'lifecycle')
  const owner = optionalText(spec, 'owner')
  const system = optionalText(spec, 'system')
  if (lifecycle !== null && !lifecycles.includes(lifecycle.toLowerCase())) {
    const unknown = { severity: 'warning', code: 'lifecycle_unknown' } as const
    report(spec, 'lifecycle', unknown, `should be one of ${lifecycles.join(', ')}`)
  }
  if (owner !== null && !OWNER.test(owner)) {
    const unrecognised = { severity: 'warning', code: 'owner_unrecognised' } as const
    report(spec, 'owner', unrecognised, 'should have the form group:<org>/<team>')
  }
  return { type, lifecycle, owner, system }
}

function readReferences(spec: Section, kind: string | null): readonly FieldReferences[] {
  const one = (field: ReferenceField): FieldReferences => {
    const value = valueOf(spec, field)
    return { field, texts: typeof value === 'string' && value !== '' ? [value] : [] }
  }
  const list = (field: ReferenceField): FieldReferences => ({ field, texts: texts(spec, field) })
  return [
    list('dependsOn'),
    list('providesApis'),
    list('consumesApis'),
    one('system'),
    ...(kind?.toLowerCase() === 'system' ? [one('domain')] : []),
    one('owner'),
  ].filter(({ texts }) => texts.length > 0)
}

/** A mapping of the document whose fields are read. A field of the wrong type is a fault. */
interface Section {
  /** `null` when the field is missing, or is no mapping. */
  readonly mapping: Readonly<Record<string, unknown>> | null
  readonly path: FieldPath
  readonly faults: EntityFault[]
}

/** Own properties only: `constructor` and `__proto__` are names like any other in a file. */
const valueOf = ({ mapping }: Section, key: string): unknown =>
  mapping !== null && Object.hasOwn(mapping, key) ? (mapping[key] ?? null) : null

function requiredText(section: Section, key: string): string | null {
  if (section.mapping === null) return null
  const value = valueOf(section, key)
  return value === null || value === ''
    ? report(section, key, MISSING, 'is missing')
    : optionalText(section, key)
}

function optionalText(section: Section, key: string): string | null {
  const value = valueOf(section, key)
  if (value === null || typeof value === 'string') return value
  return report(section, key, INVALID, 'must be a string')
}

function requiredMapping(section: Section, key: string): Section {
  if (valueOf(section, key) === null) report(section, key, MISSING, 'is missing')
  return optionalMapping(section, key)
}

function optionalMapping(section: Section, key: string): Section {
  const value = valueOf(section, key)
  const mapping = isObject(value) ? value : null
  if (mapping === null && value !== null) report(section, key, INVALID, 'must be a mapping')
  return { mapping, path: [...section.path, key], faults: section.faults }
}

function texts(section: Section, key: string): readonly string[] {
  const value = valueOf(section, key) ?? []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  report(section, key, INVALID, 'must be a list of strings')
  return []
}

function textsOfMapping(parent: Section, key: string): readonly string[] {
  const section = optionalMapping(parent, key)
  return Object.entries(section.mapping ?? {}).flatMap(([name, item]) => {
    if (typeof item === 'string') return [item]
    report(section, name, { severity: 'warning', code: 'field_invalid' }, 'should be a string')
    return []
  })
}

function checkLinks(metadata: Section): void {
  const links = valueOf(metadata, 'links') ?? []
  if (!Array.isArray(links) || !links.every(isObject)) {
    report(metadata, 'links', INVALID, 'must be a list of mappings with url and title')
    return
  }
  for (const [index, mapping] of links.entries()) {
    const path = [...metadata.path, 'links', index]
    const link: Section = { mapping, path, faults: metadata.faults }
    requiredText(link, 'url')
    optionalText(link, 'title')
  }
}

const MISSING = { severity: 'error', code: 'field_missing' } as const
const INVALID = { severity: 'error', code: 'field_invalid' } as const
const DOTTED_MAX_LENGTH = 200

function report(
  section: Section,
  key: string,
  fault: Pick<EntityFault, 'severity' | 'code'>,
  predicate: string,
): null {
  const path = [...section.path, key]
  const dotted = path.join('.')
  const subject =
    dotted.length > DOTTED_MAX_LENGTH ? `${dotted.slice(0, DOTTED_MAX_LENGTH)}…` : dotted
  section.faults.push({ ...fault, path, message: `${subject} ${predicate}` })
  return null
}
