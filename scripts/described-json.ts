/** The JSON of an API's description, for the scripts that trim one. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = Readonly<Record<string, Json>>

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Targets of all `$ref` below a value. */
export function* references(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* references(each)
  else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (key === '$ref' && typeof child === 'string') yield child
      else yield* references(child)
    }
  }
}
