export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: unknown
}

/** Resolves references into the document of a schema. */
export type Resolve = (schema: Schema) => Schema

type Members = Readonly<Record<string, unknown>>

/** A value with all members that its schema requires: an answer says those of them that matter, the others are the simplest ones. */
export function filled(given: Schema, value: unknown, resolve: Resolve): unknown {
  const schema = resolve(given)
  if (value === undefined) return simplest(schema, resolve)
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((each) => filled(items, each, resolve))
  }
  if (typeof value !== 'object' || value === null) return value
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    const objects = choices.filter((choice) => !typesOf(resolve(choice)).includes('null'))
    return objects[0] === undefined ? value : filled(objects[0], value, resolve)
  }
  const parts = schema.allOf ?? []
  const whole = parts.reduce<unknown>((made, part) => filled(part, made, resolve), value) as Members
  const { required = [], properties = {} } = schema
  const names = new Set([...required, ...Object.keys(whole)])
  return Object.fromEntries(
    [...names].map((name) => [name, filled(properties[name] ?? {}, whole[name], resolve)]),
  )
}

function simplest(schema: Schema, resolve: Resolve): unknown {
  const choices = schema.anyOf ?? schema.oneOf ?? []
  const types = [...typesOf(schema), ...choices.flatMap((each) => typesOf(resolve(each)))]
  if (types.includes('null')) return null
  const [type] = types
  if (type === 'object') return filled(schema, {}, resolve)
  if (type === 'array') return []
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return 0
  return schema.enum?.[0] ?? TEXTS[schema.format ?? ''] ?? ''
}

const TEXTS: Readonly<Record<string, string>> = {
  uri: 'https://github.test/',
  'date-time': '2026-01-01T00:00:00Z',
}

const typesOf = ({ type = [] }: Schema): readonly string[] =>
  typeof type === 'string' ? [type] : type
