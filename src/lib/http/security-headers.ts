/** On every answer. This module imports nothing: it serves answers while the application is still loading. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-site',
  /** For answers that are not pages. */
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** On pages too. Neither a page nor a window of another origin gets a reference to the other one. */
const pageHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const ALL = Object.entries(securityHeaders)
const OF_PAGES = Object.entries(pageHeaders)

/** Adds the missing security headers. An answer that has a referrer policy was created with all of them, and is no page. */
export function secure(headers: Headers): void {
  if (headers.has('referrer-policy')) return
  for (const [name, value] of ALL) if (!headers.has(name)) headers.set(name, value)
  if (headers.get('content-type')?.startsWith('text/html') !== true) return
  for (const [name, value] of OF_PAGES) headers.set(name, value)
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The client's id where it is well-formed, else a new UUID, version 7. */
export function requestIdOf(request: Request): string {
  const id = request.headers.get('x-request-id')
  return id !== null && REQUEST_ID.test(id) ? id : Bun.randomUUIDv7()
}
