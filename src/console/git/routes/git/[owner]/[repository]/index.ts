import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { redirect } from '#src/console/git/page.ts'
import { readFront } from '#src/console/git/folder.ts'
import { frontMain } from '#src/console/git/front-page.ts'
import { repositoryLink } from '#src/console/git/links.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { parseRepositoryId } from '#src/lib/names.ts'

const part = Type.String({ maxLength: 104 })
const params = pathParameters(Type.Object({ owner: part, repository: part }))

export default ({ forge, ...clone }: Pick<GitPageDeps, 'forge' | 'origin' | 'hasPasswords'>) =>
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
      const main = frontMain(front.value, clone)
      return repositoryPage(request, { id, tab: 'files', title, main, isFront: true })
    },
    { params },
  )
