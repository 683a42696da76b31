import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { page } from '#src/console/git/page.ts'
import { repositoryRows } from '#src/console/git/repository-list.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'

export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
  new Elysia().use(pageSession).get('', async ({ request }) => {
    const repositories = await forge.repositories()
    if (!repositories.ok) return forgeProblem(request, repositories.error)
    return page(request, 'Repositories', await repositoryRows(forge, repositories.value))
  })
