import { contextOf } from '../../lib/http/request-context.ts'
import { parseRepositoryId } from '../../lib/names.ts'
import type { GitPageDeps } from './deps.ts'
import { forgeProblem } from './forge-problem.ts'

const REPOSITORY = /^\/git\/([^/]+\/[^/]+?)(?:\.git)?\//

/** Before a large push git sends an empty list of commands, `0000`, to learn whether it may push. */
const asksFirst = ({ headers }: Request): boolean =>
  headers.get('content-length') === '4' && !headers.has('transfer-encoding')

/** Git's smart HTTP protocol. Reading requires a password too. */
export const gitOverHttp =
  ({ forge, gitAccess, changed }: Pick<GitPageDeps, 'forge' | 'gitAccess' | 'changed'>) =>
  async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const [, name] = REPOSITORY.exec(pathname) ?? []
    const repository = parseRepositoryId(name ?? '')
    if (repository === undefined) return forgeProblem(request, { kind: 'git_unauthorized' })
    const isPushed = pathname.endsWith('/git-receive-pack')
    const isPush = isPushed || searchParams.get('service') === 'git-receive-pack'
    const client = await gitAccess(
      request.headers.get('authorization'),
      { repository, isPush },
      contextOf(request),
    )
    if (!client.ok) return forgeProblem(request, client.error)
    const { who, rule, record } = client.value
    if (!isPushed || asksFirst(request)) return forge.serveGit(request, who, rule)
    const begun = await record?.begin()
    if (begun?.ok === false) return forgeProblem(request, begun.error)
    return forge.serveGit(request, who, rule, async (moved) => {
      await record?.end(moved)
      if (moved.length > 0) await changed(repository)
    })
  }
