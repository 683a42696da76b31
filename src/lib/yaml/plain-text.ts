import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml'

/** Whether readers of YAML 1.1 and 1.2 take a scalar without quotes for text: `1.10`, `on`, `null` and `<<` are something else. */
export const isPlainText = (text: string): boolean =>
  text !== '<<' && [CORE_SCHEMA, YAML11_SCHEMA].every((schema) => isText(text, schema))

function isText(text: string, schema: typeof CORE_SCHEMA): boolean {
  try {
    return typeof load(text, { schema }) === 'string'
  } catch {
    return false
  }
}
