/** On every answer, from the first moment: no imports, so that the process can answer before anything is loaded. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-site',
  /** For everything that is not a page. */
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const ALL = Object.entries(securityHeaders)

/** Adds those that an answer does not bring along itself. Who brings the referrer policy along brings all. */
export function secure(headers: Headers): void {
  if (headers.has('referrer-policy')) return
  for (const [name, value] of ALL) if (!headers.has(name)) headers.set(name, value)
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The id that the client gave, if it is one, or a new one: a UUID, version 7. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7()
}
