import { type Static, type TObject, Type } from 'typebox'
import type { FieldError } from './problem.ts'
import { createValidator } from './schema.ts'

/**
 * A query parser from a schema: a parameter whose schema is a list may be repeated or comma-separated, any other may be
 * given once. Unknown parameters are ignored.
 */
export function createQueryParser<Schema extends TObject>(schema: Schema) {
  const validate = createValidator(schema, { convert: true })
  return (
    url: string,
  ): { ok: true; value: Static<Schema> } | { ok: false; errors: readonly FieldError[] } => {
    const { searchParams } = new URL(url)
    const given: Record<string, unknown> = {}
    for (const name of Object.keys(schema.properties)) {
      const values = searchParams.getAll(name)
      if (values.length === 0) continue
      const isList = Type.IsArray(schema.properties[name])
      given[name] = isList
        ? values.flatMap((value) => value.split(',')).filter(Boolean)
        : single(values)
    }
    const outcome = validate(given)
    if (outcome.ok) return outcome
    return {
      ok: false,
      errors: outcome.errors.map(({ path, message }) => ({ path: `/query${path}`, message })),
    }
  }
}

const single = (values: readonly string[]): unknown => (values.length === 1 ? values[0] : values)

/** The query string as it was sent, without the question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
