import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { html } from '#src/lib/http/html.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { page, redirect } from '#src/demo/page.ts'
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
      const path = `/git/${id.owner}/${id.name}`
      if (id.name !== repository) return redirect(path)

      const [branches, open] = await Promise.all([
        forge.branches(id),
        forge.findPullRequests(id, { state: 'open' }),
      ])
      if (!open.ok) return forgeProblem(request, open.error)
      if (!branches.ok) return forgeProblem(request, branches.error)
      const count = open.value.length
      const main = html`
        <h1>${id.owner}/${id.name}</h1>
        <p><a href="${path}/pulls">Pull requests</a> (${count} open)</p>
        <h2>Clone</h2>
        <p class="soft">
          User names are <code>dev</code>, <code>manager</code>, <code>platform</code> and
          <code>outsider</code>; the password is <code>demo</code>.
        </p>
        <pre
          tabindex="0"
        ><code>git clone http://dev:demo@${origin.slice('http://'.length)}${path}.git</code></pre>
        <h2>Branches</h2>
        <ul>
          ${branches.value.map((branch) => html`<li><code>${branch}</code></li>`)}
        </ul>
      `
      return page(request, `${id.owner}/${id.name}`, main)
    },
    { params },
  )
