import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'
import { tokenIn, tokensMain } from '#src/console/git/tokens-page.ts'
import { decidingSession, recentSession } from '#src/lib/http/deciding-session.ts'
import { readForm } from '#src/lib/http/form.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import type { RepositoryId } from '#src/lib/names.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'

type Needed = Pick<GitPageDeps, 'deployTokens' | 'claims' | 'usage' | 'origin'>

/** The deploy tokens of a repository, for the platform team. */
export default ({ deployTokens, claims, usage, origin }: Needed) => {
  async function show(
    request: Request,
    repository: RepositoryId,
    principal: Principal,
    made: string | null,
  ): Promise<Response> {
    const tokens = await deployTokens.list({ repository, principal })
    if (!tokens.ok) return forgeProblem(request, tokens.error)
    return repositoryPage(request, {
      id: repository,
      tab: null,
      title: `Deploy tokens · ${repository.owner}/${repository.name}`,
      main: tokensMain(repository, tokens.value, { made, origin }),
    })
  }

  const listing = new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository: name } }) => {
      const decided = await recentSession(claims, request)
      if (!decided.ok) return forgeProblem(request, decided.error)
      return show(request, { owner, name }, decided.value.principal, null)
    },
    { params },
  )
  const creating = new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, decider, params: { owner, repository: name } }) => {
        const form = await readForm(request)
        if (!form.ok) return forgeProblem(request, form.error)
        const wanted = tokenIn(form.value)
        if (!wanted.ok) return forgeProblem(request, wanted.error)
        const decided = await decider()
        if (!decided.ok) return forgeProblem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const repository = { owner, name }
        const created = await deployTokens.create(
          { repository, principal, requestId, address },
          wanted.value.name,
          wanted.value.access,
        )
        if (!created.ok) return forgeProblem(request, created.error)
        return show(request, repository, principal, created.value.token)
      },
      { parse: 'none', params },
    )
  return new Elysia().use(listing).use(creating)
}
