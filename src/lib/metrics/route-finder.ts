import { patternExpression } from '../http/route-pattern.ts'

/**
 * Finds the router's pattern of a path. Metrics are labelled with patterns, because clients choose paths and the number of
 * series must stay bounded.
 */
export function createRouteFinder(patterns: Iterable<string>) {
  const routes = [...new Set(patterns)]
    .map((pattern) => ({ pattern, expression: patternExpression(pattern) }))
    // If several patterns match, the router takes the one with the fewest parameters.
    .toSorted((one, other) => parametersIn(one.pattern) - parametersIn(other.pattern))
  return (path: string): string | undefined =>
    routes.find(({ expression }) => expression.test(path))?.pattern
}

const parametersIn = (pattern: string): number => pattern.split('/:').length - 1
