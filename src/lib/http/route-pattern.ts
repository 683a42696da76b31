/** Matches the paths that Elysia's router accepts for a pattern such as `/entities/:kind`. */
export const patternExpression = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split('/').map(segmentSource).join('/')}$`)

function segmentSource(segment: string): string {
  if (segment === '*') return '.*'
  return segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)
}
