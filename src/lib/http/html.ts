/** HTML that is safe to send. Only `html` creates it, which escapes every value that is not `Html`. */
export interface Html {
  readonly [safe]: true
  toString(): string
}

const safe: unique symbol = Symbol('safe')

export type Value = Html | string | number | null | readonly Value[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes for text and for quoted attribute values. */
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (found) => ESCAPES[found] ?? '')

function render(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  return isList(value) ? value.map(render).join('') : value.toString()
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** The template must quote attribute values. The scheme of links is not checked: pass no links of users. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = String.raw({ raw: strings }, ...values.map(render))
  return { [safe]: true, toString: () => text }
}

/** An element without attributes. Its name is one of those that the caller has in a list, and never input. */
export const tagged = (name: string, inside: Value): Html => {
  const text = `<${name}>${render(inside)}</${name}>`
  return { [safe]: true, toString: () => text }
}
