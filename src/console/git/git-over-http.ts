import { contextOf } from '../../lib/http/request-context.ts'
import { parseRepositoryId } from '../../lib/names.ts'
import type { GitPageDeps } from './deps.ts'
import { forgeProblem } from './forge-problem.ts'

const REPOSITORY = /^\/git\/([^/]+\/[^/]+?)(?:\.git)?\//

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
    const begun = isPushed ? await record?.begin() : undefined
    if (begun?.ok === false) return forgeProblem(request, begun.error)
    if (isPushed) {
      request.signal.addEventListener('abort', () => void record?.end('cut'), { once: true })
    }
    const response = await forge.serveGit(request, who, rule)
    if (!isPushed || response.body === null) return response
    const flush = async () => {
      await changed(repository)
      await record?.end(response.ok ? 'whole' : 'cut')
    }
    return new Response(response.body.pipeThrough(new TransformStream({ flush })), response)
  }
