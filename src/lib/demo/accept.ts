type Wanted = 'html' | 'json' | 'any'

/** Which of the two that we have a client asks for by name (RFC 9110 §12.5.1). */
export function wanted({ headers }: Request): Wanted {
  const html = qualityOf('text/html', headers.get('accept'))
  const json = qualityOf('application/json', headers.get('accept'))
  if (json > html) return 'json'
  return html > 0 ? 'html' : 'any'
}

function qualityOf(type: string, accept: string | null): number {
  for (const range of (accept ?? '').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}
