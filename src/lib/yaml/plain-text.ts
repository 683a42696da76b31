import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml'
import type { ScalarOutline } from './outline.ts'

/** Types of YAML 1.1 that have one value each, of which js-yaml knows no text. */
const MARKS = ['<<', '=']
/** Marks of a key and of a value in braces and brackets, which libyaml and readers in Go take for them without a space. */
const FLOW_MARK = /\?|^:/
/** Numbers of readers in Go, such as kubectl: `0B1`, `0X1F`, `0o-1`. */
const GO_NUMBER = /^[-+]?0[box][-+]?[\da-f]+$/i

/** Whether readers of YAML 1.1 and 1.2 take a scalar without quotes for text: `1.10`, `on`, `null` and `<<` are something else. */
export const isPlainText = ({ text, isFlow }: Pick<ScalarOutline, 'text' | 'isFlow'>): boolean =>
  !MARKS.includes(text) &&
  !(isFlow && FLOW_MARK.test(text)) &&
  // Readers in Go drop underscores before they look for a number.
  [text, text.replaceAll('_', '')].every(
    (read) =>
      !GO_NUMBER.test(read) && [CORE_SCHEMA, YAML11_SCHEMA].every((schema) => isText(read, schema)),
  )

function isText(text: string, schema: typeof CORE_SCHEMA): boolean {
  try {
    return typeof load(text, { schema }) === 'string'
  } catch {
    return false
  }
}
