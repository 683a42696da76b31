import { preferredFormat } from '#src/lib/http/negotiation.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageIn } from '#src/console/git/paging.ts'
import { pullListMain, stateIn } from '#src/console/git/pull-list-page.ts'
import { pullRequestJson } from '#src/console/git/pull-request.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'
import { json } from '#src/lib/http/respond.ts'

/** More pull requests than that are not looked at. */
const PULLS_MAX = 1_000

export default repositoryRoute(async (forge, request, id) => {
  if (preferredFormat(request) === 'json') {
    const listed = await forge.findPullRequests(id, {})
    if (!listed.ok) return forgeProblem(request, listed.error)
    return json(listed.value.map(pullRequestJson), { headers: { vary: 'accept, cookie' } })
  }
  const found = await forge.findPullRequests(id, { limit: PULLS_MAX })
  if (!found.ok) return forgeProblem(request, found.error)
  const main = pullListMain(id, found.value, {
    url: request.url,
    state: stateIn(request.url),
    page: pageIn(request.url),
  })
  const title = `Pull requests · ${id.owner}/${id.name}`
  return repositoryPage(request, { id, tab: 'pulls', title, main })
})
