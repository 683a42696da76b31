import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { page } from '#src/demo/page.ts'
import { repositoryRows } from '#src/demo/pages/repository-list.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'

export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get('', async ({ request }) => {
    const repositories = await forge.repositories()
    if (!repositories.ok) return forgeProblem(request, repositories.error)
    return page(request, 'Repositories', await repositoryRows(forge, repositories.value))
  })
