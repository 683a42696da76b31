import { isObject } from '../../json.ts'
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

const LIFECYCLES = ['experimental', 'development', 'staging', 'production', 'deprecated']
const METADATA_TEXTS = ['title', 'description']
const SPEC_TEXTS = ['type', 'lifecycle', 'owner', 'system']
const OWNER = /^(?:group:)?(?:[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/

/** Reads the envelope that every entity shares. Everything else passes through unread. */
export function readEntity(document: unknown): EntityReading {
  if (!isObject(document)) {
    return refused(
      'document_not_mapping',
      [],
      'a document must be a mapping with apiVersion, kind and metadata',
    )
  }
  const faults: EntityFault[] = []
  const field = createFieldReader(faults)

  field.requiredText(document, 'apiVersion', [])
  const kind = field.requiredText(document, 'kind', [])
  const metadata = field.mapping(document, 'metadata', [], 'required')
  const spec = field.mapping(document, 'spec', [], 'optional')
  const name = field.requiredText(metadata, 'name', ['metadata'])

  const isKind = EntityKind.parse(kind) !== undefined
  const isName = Label.parse(name) !== undefined
  if (kind !== null && !isKind) {
    faults.push(invalid(['kind'], `kind must match ${EntityKind.pattern}`))
  }
  if (name !== null && !isName) {
    faults.push(invalid(['metadata', 'name'], 'metadata.name must be a DNS-1123 label'))
  }

  const [title = null, description = null] = field.texts(metadata, METADATA_TEXTS, ['metadata'])
  const tags = field.textList(metadata, 'tags', ['metadata'])
  const annotations = field.textMap(metadata, 'annotations', ['metadata'])
  const [type = null, lifecycle = null, owner = null, system = null] = field.texts(
    spec,
    SPEC_TEXTS,
    ['spec'],
  )

  if (lifecycle !== null && !LIFECYCLES.includes(lifecycle.toLowerCase())) {
    faults.push({
      severity: 'warning',
      code: 'lifecycle_unknown',
      at: ['spec', 'lifecycle'],
      message: `spec.lifecycle should be one of ${LIFECYCLES.join(', ')}`,
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

  const ref = kind !== null && isKind && name !== null && isName ? entityRef(kind, name) : null
  if (kind === null || name === null || faults.some(({ severity }) => severity === 'error')) {
    return { card: null, text: null, ref, faults }
  }
  const rest = [description, ...tags, type, system, owner, ...annotations]
  return {
    card: { kind, name, type, lifecycle, owner, system },
    text: {
      name: fold(name),
      title: fold(title ?? ''),
      rest: fold(rest.filter((part) => part !== null).join('\n')),
    },
    ref,
    faults,
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

/** Reads fields of the types that clients may count on; what has another type is a fault. */
function createFieldReader(faults: EntityFault[]) {
  const missing = (at: At) => {
    faults.push({
      severity: 'error',
      code: 'field_missing',
      at,
      message: `${dotted(at)} is missing`,
    })
    return null
  }
  const wrong = (at: At, type: string) => {
    faults.push(invalid(at, `${dotted(at)} must be ${type}`))
    return null
  }
  const text = (mapping: Mapping | null, key: string, at: At): string | null => {
    const value = own(mapping, key) ?? null
    if (value === null || typeof value === 'string') return value
    return wrong([...at, key], 'a string')
  }
  return {
    /** In a loop: written out, the compiler inlines all of this once for each of them. */
    texts: (mapping: Mapping | null, keys: readonly string[], at: At): readonly (string | null)[] =>
      keys.map((key) => text(mapping, key, at)),
    requiredText(mapping: Mapping | null, key: string, at: At): string | null {
      if (mapping === null) return null
      const value = own(mapping, key)
      if (value === undefined || value === null || value === '') return missing([...at, key])
      return text(mapping, key, at)
    },
    mapping(parent: Mapping, key: string, at: At, need: 'required' | 'optional'): Mapping | null {
      const value = own(parent, key)
      if (isObject(value)) return value
      if (value === undefined || value === null)
        return need === 'required' ? missing([...at, key]) : null
      return wrong([...at, key], 'a mapping')
    },
    textList(mapping: Mapping | null, key: string, at: At): readonly string[] {
      const value = own(mapping, key) ?? []
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
      wrong([...at, key], 'a list of strings')
      return []
    },
    textMap(mapping: Mapping | null, key: string, at: At): readonly string[] {
      const value = own(mapping, key) ?? {}
      if (!isObject(value)) {
        wrong([...at, key], 'a mapping')
        return []
      }
      return Object.entries(value).flatMap(([name, item]) => {
        if (typeof item === 'string') return [item]
        const where = [...at, key, name]
        const message = `${dotted(where)} should be a string`
        faults.push({ severity: 'warning', code: 'field_invalid', at: where, message })
        return []
      })
    },
  }
}
