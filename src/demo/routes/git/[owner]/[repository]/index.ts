import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { redirect } from '#src/demo/page.ts'
import { readFront } from '#src/demo/pages/front.ts'
import { frontMain } from '#src/demo/pages/front-page.ts'
import { repositoryLink } from '#src/demo/pages/links.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { parseRepositoryId } from '#src/lib/names.ts'

const part = Type.String({ maxLength: 104 })
const params = pathParameters(Type.Object({ owner: part, repository: part }))

export default ({ forge, origin }: Pick<DemoDeps, 'forge' | 'origin'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      // The clone URL, opened in a browser, leads to the page.
      const id = parseRepositoryId(`${owner}/${repository.replace(/\.git$/, '')}`)
      if (id === undefined) return forgeProblem(request, { kind: 'repository_not_found' })
      if (id.name !== repository) return redirect(repositoryLink(id))
      const front = await readFront(forge, id)
      if (!front.ok) return forgeProblem(request, front.error)
      const title = `${id.owner}/${id.name}`
      const main = frontMain(front.value, origin)
      return repositoryPage(request, { id, tab: 'files', title, main, isFront: true })
    },
    { params },
  )
