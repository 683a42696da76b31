import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { redirect } from '#src/demo/page.ts'
import { readFile } from '#src/demo/pages/file.ts'
import { fileMain } from '#src/demo/pages/file-page.ts'
import { folderLink } from '#src/demo/pages/links.ts'
import { findPlace, placeIn } from '#src/demo/pages/place.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** A file of a branch or a commit; `#L12` is a line. */
export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
      const place = await findPlace(forge, id, placeIn(contextOf(request).path))
      if (!place.ok) return forgeProblem(request, place.error)
      const { ref, path } = place.value
      if (path === null) return redirect(folderLink(id, ref, null))
      const file = await readFile(forge, { ...place.value, path })
      if (!file.ok) return forgeProblem(request, file.error)
      if (file.value.item.kind === 'folder') return redirect(folderLink(id, ref, path))
      const title = `${path} · ${owner}/${repository}`
      return repositoryPage(request, { id, tab: 'files', title, main: fileMain(file.value) })
    },
    { params },
  )
