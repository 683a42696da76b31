import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { tokensLink } from '#src/console/git/links.ts'
import { redirect } from '#src/console/git/page.ts'
import { tokenParams as params } from '#src/console/git/repository-params.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { readForm } from '#src/lib/http/form.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

export default ({
  deployTokens,
  claims,
  usage,
}: Pick<GitPageDeps, 'deployTokens' | 'claims' | 'usage'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, decider, params: { owner, repository: name, id } }) => {
        const form = await readForm(request)
        if (!form.ok) return forgeProblem(request, form.error)
        const decided = await decider()
        if (!decided.ok) return forgeProblem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const repository = { owner, name }
        const ended = await deployTokens.end({ repository, principal, requestId, address }, id)
        return ended.ok ? redirect(tokensLink(repository)) : forgeProblem(request, ended.error)
      },
      { parse: 'none', params },
    )
