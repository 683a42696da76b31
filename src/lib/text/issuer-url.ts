import { isLoopback } from './ip-address.ts'

/** The URL of an OpenID Connect issuer. Plain http only to this machine. The path is part of its identifier, which is compared byte for byte. */
export function parseIssuer(input: string): URL | undefined {
  const url = URL.parse(input)
  const isIssuer =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.href === `${url.origin}${url.pathname}` &&
    !url.pathname.includes('/.well-known/')
  return isIssuer ? url : undefined
}
