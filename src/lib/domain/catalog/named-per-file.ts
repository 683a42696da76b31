import type { RepositoryPath } from '../../names.ts'
import { type CatalogProblem, fileFinding, type ProblemCode } from './problem.ts'

/** Problems of one code that are named one by one, for each file. */
const NAMED_PER_FILE_MAX = 20

/** Adds problems of one code; a file with very many gets one for the rest, worded by `rest`. */
export function createNamedPerFile(
  problems: CatalogProblem[],
  code: ProblemCode,
  rest: (count: number) => string,
) {
  const counts = new Map<RepositoryPath, number>()
  return {
    add(path: RepositoryPath, problem: Omit<CatalogProblem, 'path' | 'code'>): void {
      const count = (counts.get(path) ?? 0) + 1
      counts.set(path, count)
      if (count <= NAMED_PER_FILE_MAX) problems.push({ ...problem, code, path })
    },
    end(): void {
      for (const [path, count] of counts) {
        if (count <= NAMED_PER_FILE_MAX) continue
        problems.push({ ...fileFinding(code, rest(count - NAMED_PER_FILE_MAX)), path })
      }
    },
  }
}
