import { changePullRequest } from '#src/console/git/change-pull-request.ts'
import type { GitPageDeps } from '#src/console/git/deps.ts'

export default (deps: Pick<GitPageDeps, 'pullRequests' | 'claims' | 'usage'>) =>
  changePullRequest(deps, deps.pullRequests.merge)
