import { Type } from 'typebox'
import type { Name, Named } from '../names.ts'
import { Ruled } from './ruled.ts'

/** The schema of a name from `names.ts`. */
export const named = <Kind extends string>(
  { rule, pattern, minLength, maxLength }: Name<Kind>,
  options: { readonly description?: string; readonly examples?: readonly string[] } = {},
) => Type.Unsafe<Named<Kind>>(Ruled(rule, pattern, { minLength, maxLength, ...options }))
