import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { commitsMain } from '#src/console/git/commits.ts'
import { pageIn } from '#src/console/git/paging.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** The commits of a branch, or of a file or folder. */
export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
      const found = await findPlace(forge, id, placeIn(contextOf(request).path))
      if (!found.ok) return forgeProblem(request, found.error)
      const place = found.value
      const page = pageIn(request.url)
      const [tips, commits] = await Promise.all([
        forge.browse.tips(id),
        forge.browse.history(id, {
          of: place.commit,
          page,
          ...(place.path !== null && { path: place.path }),
        }),
      ])
      if (!tips.ok) return forgeProblem(request, tips.error)
      if (!commits.ok) return forgeProblem(request, commits.error)
      const title = `Commits of ${place.path ?? place.ref} · ${owner}/${repository}`
      const main = commitsMain(place, {
        url: request.url,
        page,
        tips: tips.value.tips,
        commits: commits.value,
      })
      return repositoryPage(request, { id, tab: 'commits', title, main })
    },
    { params },
  )
