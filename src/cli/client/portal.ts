import { isLoopback } from '../../lib/text/ip-address.ts'
import { usage } from './failure.ts'

/** The origin of a portal. Plain http only to this machine: everything that follows carries a token. */
export function portalOrigin(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url === null || url.username !== '' || url.password !== '') {
    throw usage('the portal must be a URL such as https://portal.example.org')
  }
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isSafe) throw usage('the portal must be an https URL: a token would be readable on the way')
  return url.origin
}
