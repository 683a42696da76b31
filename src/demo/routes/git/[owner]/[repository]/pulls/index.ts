import { Elysia } from 'elysia'
import { preferredFormat } from '#src/lib/http/preferred-format.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { pageIn } from '#src/demo/pages/paging.ts'
import { pullListMain, stateIn } from '#src/demo/pages/pull-list-page.ts'
import { pullRequestJson } from '#src/demo/pages/pull-request-view.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { json } from '#src/lib/http/respond.ts'

/** More pull requests than that are not looked at. */
const PULLS_MAX = 1_000

export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
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
      const title = `Pull requests · ${owner}/${repository}`
      return repositoryPage(request, { id, tab: 'pulls', title, main })
    },
    { params },
  )
