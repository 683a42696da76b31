import { Type } from 'typebox'
import type { Name, Named } from '../names.ts'

/** The schema of a name from `names.ts`. */
export const named = <Kind extends string>(
  { pattern, minLength, maxLength }: Name<Kind>,
  options: { readonly description?: string; readonly examples?: readonly string[] } = {},
) => Type.Unsafe<Named<Kind>>(Type.String({ pattern, minLength, maxLength, ...options }))
