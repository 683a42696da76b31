import { Elysia } from 'elysia'
import { preferredFormat } from '#src/lib/http/preferred-format.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { html } from '#src/lib/http/html.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { page } from '#src/demo/page.ts'
import { plainText } from '#src/demo/plain-text.ts'
import { badge, byline, pullRequestJson } from '#src/demo/pull-request-view.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { json } from '#src/lib/http/respond.ts'

export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository } }) => {
      const found = await forge.findPullRequests({ owner, name: repository }, {})
      if (!found.ok) return forgeProblem(request, found.error)
      const headers = { vary: 'accept, cookie' }
      if (preferredFormat(request) === 'json')
        return json(found.value.map(pullRequestJson), { headers })

      const path = `/git/${owner}/${repository}`
      const main = html`
        <p><a href="${path}">${owner}/${repository}</a></p>
        <h1>Pull requests</h1>
        ${found.value.length === 0 ? html`<p>There are no pull requests yet.</p>` : null}
        <ul class="rows">
          ${found.value.map(
            (pullRequest) => html`
              <li>
                <p>
                  <a href="${path}/pulls/${pullRequest.number}">${plainText(pullRequest.title)}</a>
                  <span class="number">#${pullRequest.number}</span> ${badge(pullRequest)}
                </p>
                <p class="soft">${byline(pullRequest)}</p>
              </li>
            `,
          )}
        </ul>
      `
      return page(request, `Pull requests of ${owner}/${repository}`, main)
    },
    { params },
  )
