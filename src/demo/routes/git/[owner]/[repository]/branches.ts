import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { branchesMain } from '#src/demo/pages/branches-page.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'

export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
      const [tips, open] = await Promise.all([
        forge.browse.tips(id),
        forge.findPullRequests(id, { state: 'open' }),
      ])
      if (!tips.ok) return forgeProblem(request, tips.error)
      if (!open.ok) return forgeProblem(request, open.error)
      const title = `Branches · ${owner}/${repository}`
      const main = branchesMain(id, tips.value, open.value)
      return repositoryPage(request, { id, tab: 'branches', title, main })
    },
    { params },
  )
