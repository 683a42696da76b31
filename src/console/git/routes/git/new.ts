import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { repositoryLink } from '#src/console/git/links.ts'
import { newRepositoryMain, repositoryIn } from '#src/console/git/new-repository-page.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { page, redirect } from '#src/console/git/page.ts'
import { authorise } from '#src/lib/domain/access/authorise.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { readForm } from '#src/lib/http/form.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

type Needed = Pick<
  GitPageDeps,
  'forge' | 'gitops' | 'platformGroup' | 'makeRepository' | 'claims' | 'usage'
>

/** Makes a repository, for the platform team. */
export default ({ forge, gitops, platformGroup, makeRepository, claims, usage }: Needed) => {
  const form = new Elysia()
    .use(pageSession)
    .get('', async ({ request, session: { principal } }) => {
      const allowed = authorise(principal, [platformGroup])
      if (!allowed.ok) return forgeProblem(request, allowed.error)
      const head = await forge.head(gitops)
      const isMissing = !head.ok && head.error.kind === 'git_not_found'
      const main = newRepositoryMain(gitops.owner, isMissing ? gitops.name : '')
      return page(request, 'New repository', main)
    })
  const making = new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, decider }) => {
        const fields = await readForm(request)
        if (!fields.ok) return forgeProblem(request, fields.error)
        const wanted = repositoryIn(fields.value)
        if (!wanted.ok) return forgeProblem(request, wanted.error)
        const decided = await decider()
        if (!decided.ok) return forgeProblem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const { name, ...about } = wanted.value
        const repository = { owner: gitops.owner, name }
        const made = await makeRepository({ ...about, repository, principal, requestId, address })
        return made.ok ? redirect(repositoryLink(repository)) : forgeProblem(request, made.error)
      },
      { parse: 'none' },
    )
  return new Elysia().use(form).use(making)
}
