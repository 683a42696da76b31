import { weightsIn } from '../lib/http/negotiation.ts'

type Wanted = 'html' | 'json' | 'any'

/** Which of the two that we have a client asks for by name (RFC 9110 §12.5.1). */
export function wanted({ headers }: Request): Wanted {
  const weights = weightsIn(headers.get('accept'))
  const html = weights.get('text/html') ?? 0
  const json = weights.get('application/json') ?? 0
  if (json > html) return 'json'
  return html > 0 ? 'html' : 'any'
}
