/** Whether `If-None-Match` names the entity tag (RFC 9110 §13.1.2), by weak comparison. */
export function isNotModified(request: Request, etag: string): boolean {
  const given = request.headers.get('if-none-match')
  if (given === null) return false
  if (given === etag || given.trim() === '*') return true
  const opaque = opaqueTag(etag)
  return given.split(',').some((candidate) => opaqueTag(candidate.trim()) === opaque)
}

const opaqueTag = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag)

/** Whether a client takes gzip (RFC 9110 §12.5.3). */
export function acceptsGzip(request: Request): boolean {
  const given = request.headers.get('accept-encoding')
  if (given === null) return false
  return given
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0{0,3})?\s*$)[\d.]+\s*)?$/.test(coding))
}
