import { entityRef, type ReferenceField } from './entity.ts'

/** A field of a file that names another entity. */
export interface Reference {
  readonly field: ReferenceField
  /** As in the file. */
  readonly text: string
  readonly line: number
  readonly column: number
}

/** The relation that a field states, and the kind of a name without one. */
const FIELDS = {
  dependsOn: { relation: 'dependsOn', kind: 'component' },
  providesApis: { relation: 'providesApi', kind: 'api' },
  consumesApis: { relation: 'consumesApi', kind: 'api' },
  system: { relation: 'partOf', kind: 'system' },
  domain: { relation: 'partOf', kind: 'domain' },
  owner: { relation: 'ownedBy', kind: 'group' },
} as const satisfies Record<ReferenceField, object>

/** Backstage's `[kind:][namespace/]name`. Kinds and names are those of `names.ts`, in any case. */
const REFERENCE =
  /^(?:([A-Za-z][A-Za-z0-9]{0,62}):)?(?:[^:/\s]+\/)?([A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?)$/

/**
 * The key of the entity that a field names; `undefined` for text that names none. A namespace, such as the organisation of an
 * owner, is not compared, because a name is unique for its kind.
 */
export function targetOf({ field, text }: Pick<Reference, 'field' | 'text'>): string | undefined {
  const [, kind = FIELDS[field].kind, name] = REFERENCE.exec(text) ?? []
  return name === undefined ? undefined : entityRef(kind, name)
}

export type StatedRelation = (typeof FIELDS)[ReferenceField]['relation']

export const relationOf = ({ field }: Pick<Reference, 'field'>): StatedRelation =>
  FIELDS[field].relation
