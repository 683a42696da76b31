import { type TObject, type TSchema, Type } from 'typebox'
import { createChecker } from './schema.ts'

/**
 * Creates a query parser from a schema. A parameter with an array schema may be repeated or comma-separated, any other occurs
 * once. Flags are `true` or `false`. A missing parameter gets the default of its schema. Unknown parameters are ignored.
 */
export function createQueryParser<Schema extends TObject>(schema: Schema) {
  const check = createChecker(schema, '/query')
  const members: readonly (readonly [string, TSchema])[] = Object.entries(schema.properties)
  return (url: string) => {
    const { searchParams } = new URL(url)
    const query: Record<string, unknown> = {}
    for (const [name, member] of members) {
      const values = searchParams.getAll(name)
      if (values.length > 0) query[name] = valueOf(member, values)
      else if ('default' in member) query[name] = member.default
    }
    return check(query)
  }
}

const WHOLE_NUMBER = /^-?\d{1,15}$/
const FLAGS = new Map([
  ['true', true],
  ['false', false],
])

/** Converts whole numbers and flags. Other text stays text, so that the schema refuses it. */
function valueOf(schema: TSchema, values: readonly string[]): unknown {
  if (Type.IsArray(schema)) {
    const items = values.flatMap((value) => value.split(','))
    // Empty values select nothing, but count.
    return isTooLong(schema, items) ? items : items.filter(Boolean)
  }
  const [value = '', ...more] = values
  if (more.length > 0) return values
  if (Type.IsInteger(schema)) return WHOLE_NUMBER.test(value) ? Number(value) : value
  if (Type.IsBoolean(schema)) return FLAGS.get(value) ?? value
  return value
}

const isTooLong = (schema: TSchema, items: readonly unknown[]): boolean =>
  'maxItems' in schema && typeof schema.maxItems === 'number' && items.length > schema.maxItems
