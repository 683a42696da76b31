/** HTML that is safe to send: only `html` makes it, and `html` escapes every value that is not HTML itself. */
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

/** For text and for quoted attribute values. */
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (found) => ESCAPES[found] ?? '')

function render(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  return isList(value) ? value.map(render).join('') : value.toString()
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** Attribute values must be quoted in the template. Links are ours: a scheme is not looked at. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = String.raw({ raw: strings }, ...values.map(render))
  return { [safe]: true, toString: () => text }
}
