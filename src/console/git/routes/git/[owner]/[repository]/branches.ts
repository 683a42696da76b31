import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { branchesMain } from '#src/console/git/branches-page.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'

export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
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
