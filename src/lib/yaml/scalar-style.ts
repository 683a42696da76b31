import { dump, SCALAR_STYLE } from 'js-yaml'

/** A value that an edit writes. */
export type Scalar = string | number | boolean

type Style = (typeof SCALAR_STYLE)[keyof typeof SCALAR_STYLE]

/** Characters that end a plain scalar inside of braces or brackets. */
const FLOW_MARK = /[,[\]{}]/

/**
 * A scalar in one line, in the style of the one that it replaces. A text is plain only if js-yaml writes it plain: then no reader of
 * YAML 1.1 or 1.2 takes it for something else.
 */
export function scalarIn(style: Style, value: Scalar, isFlow: boolean): string {
  if (typeof value !== 'string') return `${value}`
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) return JSON.stringify(value)
  const isPlain =
    style === SCALAR_STYLE.PLAIN &&
    dump(value, { lineWidth: -1 }) === `${value}\n` &&
    !(isFlow && FLOW_MARK.test(value))
  return isPlain ? value : `'${value.replaceAll("'", "''")}'`
}
