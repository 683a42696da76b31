import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { commitsMain } from '#src/console/git/commits.ts'
import { pageIn } from '#src/console/git/paging.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** The commits of a branch, or of a file or folder. */
export default repositoryRoute(async (forge, request, id) => {
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
  const title = `Commits of ${place.path ?? place.ref} · ${id.owner}/${id.name}`
  const main = commitsMain(place, {
    url: request.url,
    page,
    tips: tips.value.tips,
    commits: commits.value,
  })
  return repositoryPage(request, { id, tab: 'commits', title, main })
})
