import type { TStringOptions } from 'typebox'
import { Ruled } from './ruled.ts'

/**
 * Pattern of a text of one line: no control characters, line separators, characters that turn the direction of text (Bidi_Control of
 * Unicode: a reviewer would read another text), lone surrogates or characters that YAML does not allow. Ranges instead of `\p{…}`,
 * which the patterns of some languages lack.
 */
export const ONE_LINE =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufeff\\ufffe\\uffff]*$'

/** A text of people that goes into files, commit messages and pull requests. */
export const OneLine = (options: Omit<TStringOptions, 'pattern'>) =>
  Ruled('one_line', ONE_LINE, options)
