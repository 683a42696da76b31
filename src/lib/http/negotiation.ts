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
export function acceptsGzip(request: Request): boolean {
  const given = request.headers.get('accept-encoding')
  if (given === null) return false
  const weights = new Map(given.toLowerCase().split(',').map(weightOf))
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

function weightOf(coding: string): readonly [string, number] {
  const [name = '', ...parameters] = coding.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2))]
}
