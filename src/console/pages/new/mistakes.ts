import type { Problem } from '../../api/result.ts'
import { type PlacedErrors, placeErrors } from '../../ui/field-spec.ts'

/**
 * The mistakes to show. Nobody is told that a field is wrong before they have left it; after an attempt to start the project
 * every mistake is shown.
 */
export function shownMistakes(
  problem: Problem | undefined,
  paths: readonly string[],
  touched: ReadonlySet<string> | 'all',
): PlacedErrors {
  const { at, elsewhere } = placeErrors(errorsOf(problem), paths)
  if (touched === 'all') return { at, elsewhere }
  return { at: new Map([...at].filter(([path]) => touched.has(path))), elsewhere: [] }
}

/** A name that is taken is a mistake of the name. */
function errorsOf(problem: Problem | undefined) {
  if (problem?.code !== 'already_exists') return problem?.errors ?? []
  return [{ path: '/appName', message: problem.detail ?? problem.title }]
}

/** Whether the fields tell the whole problem, so that no note has to. */
export const isOfFields = ({ code }: Problem): boolean =>
  code === 'validation_failed' || code === 'already_exists' || code === 'namespace_taken'
