/** Whether the client would rather not wait (RFC 7240 §4.1), in any of its `Prefer` headers. */
export const prefersAsync = ({ headers }: Request): boolean =>
  (headers.get('prefer') ?? '').replaceAll(QUOTED, '').split(',').some(isAsync)

/** Quoted values may have commas of their own. One without an end takes the rest: a search for the end from each quote is quadratic. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/g

/** With parameters, which say nothing here, and with an empty value, which is none. */
function isAsync(preference: string): boolean {
  const [main = ''] = preference.split(';')
  const [name = '', ...values] = main.split('=')
  return name.trim().toLowerCase() === 'respond-async' && values.join('').trim() === ''
}
