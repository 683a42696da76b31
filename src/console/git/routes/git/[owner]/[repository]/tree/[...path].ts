import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { folderMain, readFolderFacts } from '#src/console/git/folder.ts'
import { findPlace, placeIn } from '#src/console/git/place.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

/** A folder of a branch or a commit. */
export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
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
