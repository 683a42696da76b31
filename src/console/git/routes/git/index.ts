import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { page } from '#src/console/git/page.ts'
import { repositoryRows } from '#src/console/git/repository-list.ts'
import { isPlatform } from '#src/lib/domain/access/principal.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'

export default ({ forge, platformGroup }: Pick<GitPageDeps, 'forge' | 'platformGroup'>) =>
  new Elysia().use(pageSession).get('', async ({ request, session: { principal } }) => {
    const repositories = await forge.repositories()
    if (!repositories.ok) return forgeProblem(request, repositories.error)
    return page(
      request,
      'Repositories',
      await repositoryRows(forge, repositories.value, isPlatform(principal, platformGroup)),
    )
  })
