import type { AnswerOf } from '../../api/call.ts'
import { hasWords } from '../clusters/pod-words.ts'

export type CatalogProblem = AnswerOf<'get', '/api/v1/catalog/problems'>[number]

export interface ProblemFilter {
  /** Empty: both. */
  readonly severity: string
  /** Empty: all codes. */
  readonly code: string
  /** Words that must all be in the path, the message, the code or the entity. */
  readonly q: string
}

export interface FileProblems {
  readonly path: string
  readonly problems: readonly CatalogProblem[]
}

export function selectProblems(
  problems: readonly CatalogProblem[],
  { severity, code, q }: ProblemFilter,
): readonly CatalogProblem[] {
  return problems.filter(
    (problem) =>
      (severity === '' || problem.severity === severity) &&
      (code === '' || problem.code === code) &&
      hasWords(q, [problem.path, problem.message, problem.code, problem.ref]),
  )
}

/** In the order of the list. */
export const groupByFile = (problems: readonly CatalogProblem[]): readonly FileProblems[] =>
  [...Map.groupBy(problems, ({ path }) => path)].map(([path, inFile]) => ({
    path,
    problems: inFile,
  }))

/** Codes that occur, sorted, for the choice. */
export const codesOf = (problems: readonly CatalogProblem[]): readonly string[] =>
  [...new Set(problems.map(({ code }) => code))].toSorted()

/** `line 4, column 3`. */
export function placeWords({ line, column }: Pick<CatalogProblem, 'line' | 'column'>): string {
  if (line === null) return 'whole file'
  return column === null ? `line ${line}` : `line ${line}, column ${column}`
}
