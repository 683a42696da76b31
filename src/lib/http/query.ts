import { type TObject, type TSchema, Type } from 'typebox'
import { createChecker } from './schema.ts'

/** A query parameter that is on or off. */
export const Flag = (description: string) => Type.Enum(['true', 'false'], { description })

/**
 * A query parser from a schema: a parameter whose schema is a list may be repeated or comma-separated, any other may be
 * given once. What is not given has the default of its schema, the very same value. Unknown parameters are ignored.
 */
export function createQueryParser<Schema extends TObject>(schema: Schema) {
  const check = createChecker(schema, '/query')
  const members: readonly (readonly [string, TSchema])[] = Object.entries(schema.properties)
  return (url: string) => {
    const { searchParams } = new URL(url)
    const given: Record<string, unknown> = {}
    for (const [name, member] of members) {
      const values = searchParams.getAll(name)
      if (values.length > 0) given[name] = valueOf(member, values)
      else if ('default' in member) given[name] = member.default
    }
    return check(given)
  }
}

const WHOLE_NUMBER = /^-?\d{1,15}$/

/** What cannot be read as its schema asks stays text, for the schema to refuse. */
function valueOf(schema: TSchema, values: readonly string[]): unknown {
  if (Type.IsArray(schema)) return values.flatMap((value) => value.split(',')).filter(Boolean)
  const [value = '', ...more] = values
  if (more.length > 0) return values
  return Type.IsInteger(schema) && WHOLE_NUMBER.test(value) ? Number(value) : value
}

/** The query string as it was sent, without the question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
