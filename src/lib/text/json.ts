/** JSON of others is `unknown` until a schema has read it. */

/** `undefined`: it is no JSON. The exception stays here, since its message quotes the text, which may be a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Something with named members: no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
