import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { folderMain, readFolderFacts } from '#src/console/git/folder.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** A folder of a branch or a commit. */
export default repositoryRoute(async (forge, request, id) => {
  const place = await findPlace(forge, id, placeIn(contextOf(request).path))
  if (!place.ok) return forgeProblem(request, place.error)
  const facts = await readFolderFacts(forge, place.value)
  if (!facts.ok) return forgeProblem(request, facts.error)
  const title = `${place.value.path ?? 'Files'} · ${id.owner}/${id.name}`
  return repositoryPage(request, { id, tab: 'files', title, main: folderMain(facts.value) })
})
