import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { redirect } from '#src/console/git/page.ts'
import { fileMain, readFile } from '#src/console/git/file.ts'
import { folderLink } from '#src/console/git/links.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** A file of a branch or a commit; `#L12` is a line. */
export default repositoryRoute(async (forge, request, id) => {
  const place = await findPlace(forge, id, placeIn(contextOf(request).path))
  if (!place.ok) return forgeProblem(request, place.error)
  const { ref, path } = place.value
  if (path === null) return redirect(folderLink(id, ref, null))
  const file = await readFile(forge, { ...place.value, path })
  if (!file.ok) return forgeProblem(request, file.error)
  if (file.value.item.kind === 'folder') return redirect(folderLink(id, ref, path))
  const title = `${path} · ${id.owner}/${id.name}`
  return repositoryPage(request, { id, tab: 'files', title, main: fileMain(file.value) })
})
