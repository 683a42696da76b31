import { type TObject, type TSchema, Type } from 'typebox'
import { createChecker } from './schema.ts'

export const Flag = (description: string) => Type.Enum(['true', 'false'], { description })

/**
 * Creates a query parser from a schema. A parameter with an array schema may be repeated or comma-separated, any other occurs
 * once. A missing parameter gets the default of its schema. Unknown parameters are ignored.
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

/** Converts whole numbers. Other text stays text, so that the schema refuses it. */
function valueOf(schema: TSchema, values: readonly string[]): unknown {
  if (Type.IsArray(schema)) return values.flatMap((value) => value.split(',')).filter(Boolean)
  const [value = '', ...more] = values
  if (more.length > 0) return values
  return Type.IsInteger(schema) && WHOLE_NUMBER.test(value) ? Number(value) : value
}
