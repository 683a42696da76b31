import { weightsIn } from './negotiation.ts'

type PreferredFormat = 'html' | 'json' | 'any'

/** The format that a client prefers by name in `Accept` (RFC 9110 §12.5.1). */
export function preferredFormat({ headers }: Request): PreferredFormat {
  const weights = weightsIn(headers.get('accept'))
  const html = weights.get('text/html') ?? 0
  const json = weights.get('application/json') ?? 0
  if (json > html) return 'json'
  return html > 0 ? 'html' : 'any'
}
