import { type Failure, problem } from '../http/problem.ts'

/** Here the repository is what was asked for, so that there is none is the asker's mistake and not the git host's. */
export const forgeProblem = (request: Request, failure: Failure): Response =>
  failure.kind === 'git_not_found' && failure.what === 'repository'
    ? problem(request, { kind: 'repository_not_found' })
    : problem(request, failure)
