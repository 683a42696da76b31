/** Weak comparison of `If-None-Match` with the entity tag (RFC 9110 §13.1.2). */
export function isNotModified(request: Request, etag: string): boolean {
  const condition = request.headers.get('if-none-match')
  if (condition === null) return false
  if (condition.trim() === '*') return true
  const opaque = opaqueTag(etag)
  return condition.split(',').some((candidate) => opaqueTag(candidate.trim()) === opaque)
}

const opaqueTag = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag)

/**
 * The coding that the client prefers; the first of those that it likes equally. Without the header, or when nothing is
 * acceptable, the answer is sent as it is (RFC 9110 §12.5.3).
 */
export function preferredCoding<Coding extends string>(
  { headers }: Request,
  codings: readonly Coding[],
): Coding | 'identity' {
  const weights = weightsIn(headers.get('accept-encoding'))
  const identity = weights.get('identity')
  const best = codings
    .map((coding) => ({ coding, weight: weights.get(coding) ?? weights.get('*') ?? 0 }))
    .reduce<{ coding: Coding | 'identity'; weight: number }>(
      (kept, each) => (each.weight > kept.weight ? each : kept),
      { coding: 'identity', weight: 0 },
    )
  return identity !== undefined && identity > best.weight ? 'identity' : best.coding
}

/** Lower-case items of a header such as `Accept`, with their weights (RFC 9110 §12.4.2). A malformed weight counts as 0. */
function weightsIn(header: string | null): ReadonlyMap<string, number> {
  return new Map((header ?? '').toLowerCase().split(',').map(weightOf))
}

function weightOf(item: string): readonly [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

type PreferredFormat = 'html' | 'json' | 'any'

/** The format that a client prefers by name in `Accept` (RFC 9110 §12.5.1). */
export function preferredFormat({ headers }: Request): PreferredFormat {
  const weights = weightsIn(headers.get('accept'))
  const html = weights.get('text/html') ?? 0
  const json = weights.get('application/json') ?? 0
  if (json > html) return 'json'
  return html > 0 ? 'html' : 'any'
}

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
