import { type TStringOptions, Type } from 'typebox'
import type { TextRule } from './rules.ts'

/** A text with a pattern, and the rule by which people are told of it. */
export const Ruled = (
  rule: TextRule,
  pattern: RegExp | string,
  options: Omit<TStringOptions, 'pattern'> = {},
) =>
  Type.String({
    pattern: typeof pattern === 'string' ? pattern : pattern.source,
    'x-rule': rule,
    ...options,
  })
