import type { AnswerOf } from '../../api/call.ts'

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
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return problems.filter((problem) => {
    if (severity !== '' && problem.severity !== severity) return false
    if (code !== '' && problem.code !== code) return false
    const text = [problem.path, problem.message, problem.code, problem.ref].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
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
