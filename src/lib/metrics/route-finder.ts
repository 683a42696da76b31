/**
 * Which route a path belongs to, by the patterns of the router, so that metrics never hold a path: those are given by
 * whoever asks, and there is no end of them.
 */
export function createRouteFinder<Route extends { readonly pattern: string }>(
  routes: readonly Route[],
): (path: string) => Route | undefined {
  const fixed = new Map<string, Route>()
  const variable: { readonly literals: readonly string[]; readonly route: Route }[] = []
  for (const route of routes) {
    if (route.pattern.includes('/:')) {
      variable.push({ literals: route.pattern.split(PARAMETER), route })
    } else fixed.set(route.pattern, route)
  }
  // Where two fit, the router takes the one that leaves less open.
  variable.sort((one, other) => one.literals.length - other.literals.length)
  return (path) =>
    fixed.get(path) ?? variable.find(({ literals }) => consistsOf(path, literals))?.route
}

const PARAMETER = /(?<=\/):[^/]+/

/** Whether the path is the literals with one segment between each two. Faster than a regular expression, and without captures. */
function consistsOf(path: string, literals: readonly string[]): boolean {
  let at = -1
  for (const literal of literals) {
    let from = 0
    if (at >= 0) {
      const slash = path.indexOf('/', at)
      from = slash < 0 ? path.length : slash
      if (from === at) return false
    }
    if (!path.startsWith(literal, from)) return false
    at = from + literal.length
  }
  return at === path.length
}
