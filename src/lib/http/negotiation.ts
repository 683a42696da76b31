/** Whether `If-None-Match` names the entity tag (RFC 9110 §13.1.2), by weak comparison. */
export function isNotModified(request: Request, etag: string): boolean {
  const given = request.headers.get('if-none-match')
  if (given === null) return false
  if (given === etag || given.trim() === '*') return true
  const opaque = opaqueTag(etag)
  return given.split(',').some((candidate) => opaqueTag(candidate.trim()) === opaque)
}

const opaqueTag = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag)

/** Whether a client takes gzip (RFC 9110 §12.5.3): by its own name, or else by `*`. */
export function acceptsGzip({ headers }: Request): boolean {
  const given = headers.get('accept-encoding')
  if (given === null) return false
  const weights = weightsIn(given)
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

/** What a header like `Accept` names, in lower case, with its weight (RFC 9110 §12.4.2). A weight that is no number is 0. */
export function weightsIn(header: string | null): ReadonlyMap<string, number> {
  return new Map((header ?? '').toLowerCase().split(',').map(weightOf))
}

function weightOf(item: string): readonly [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
