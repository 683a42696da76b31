import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { readFolderFacts } from '#src/demo/pages/front.ts'
import { folderMain } from '#src/demo/pages/folder-page.ts'
import { findPlace, placeIn } from '#src/demo/pages/place.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** A folder of a branch or a commit. */
export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const id = { owner, name: repository }
      const place = await findPlace(forge, id, placeIn(contextOf(request).path))
      if (!place.ok) return forgeProblem(request, place.error)
      const facts = await readFolderFacts(forge, place.value)
      if (!facts.ok) return forgeProblem(request, facts.error)
      const title = `${place.value.path ?? 'Files'} · ${owner}/${repository}`
      return repositoryPage(request, { id, tab: 'files', title, main: folderMain(facts.value) })
    },
    { params },
  )
