import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { branchesMain } from '#src/console/git/branches-page.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'

export default repositoryRoute(async (forge, request, id) => {
  const [tips, open] = await Promise.all([
    forge.browse.tips(id),
    forge.findPullRequests(id, { state: 'open' }),
  ])
  if (!tips.ok) return forgeProblem(request, tips.error)
  if (!open.ok) return forgeProblem(request, open.error)
  const title = `Branches · ${id.owner}/${id.name}`
  const main = branchesMain(id, tips.value, open.value)
  return repositoryPage(request, { id, tab: 'branches', title, main })
})
