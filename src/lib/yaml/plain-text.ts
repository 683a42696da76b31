import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml'

/** Numbers of readers in Go, such as kubectl: `0B1`, `0X1F`, `-0o7`. */
const GO_NUMBER = /^[-+]?0_*[box][\d_a-f]+$/i
/** Types of YAML 1.1 that have one value each, of which js-yaml knows no text. */
const MARKS = ['<<', '=']

/** Whether readers of YAML 1.1 and 1.2 take a scalar without quotes for text: `1.10`, `on`, `null` and `<<` are something else. */
export const isPlainText = (text: string): boolean =>
  !MARKS.includes(text) &&
  !GO_NUMBER.test(text) &&
  [CORE_SCHEMA, YAML11_SCHEMA].every((schema) => isText(text, schema))

function isText(text: string, schema: typeof CORE_SCHEMA): boolean {
  try {
    return typeof load(text, { schema }) === 'string'
  } catch {
    return false
  }
}
