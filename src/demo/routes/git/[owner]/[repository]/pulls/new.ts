import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { redirect } from '#src/demo/page.ts'
import { pullLink } from '#src/demo/pages/links.ts'
import { newPullMain } from '#src/demo/pages/new-pull-page.ts'
import { readProposal } from '#src/demo/pages/proposal.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { repositoryParams as params } from '#src/demo/repository-params.ts'
import { readForm } from '#src/lib/http/form.ts'
import { session } from '#src/lib/http/session.ts'
import { proposalIn, PROPOSAL_BYTES_MAX } from '#src/demo/proposal-form.ts'

/** Opens a pull request: what would be merged, and a form for its texts. */
export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia()
    .use(pageSession)
    .get(
      '',
      async ({ request, params: { owner, repository } }) => {
        const id = { owner, name: repository }
        const proposal = await readProposal(forge, id, new URL(request.url).searchParams)
        if (!proposal.ok) return forgeProblem(request, proposal.error)
        const title = `New pull request · ${owner}/${repository}`
        const main = newPullMain(id, proposal.value)
        return repositoryPage(request, { id, tab: 'pulls', title, main })
      },
      { params },
    )
    .use(session)
    .post(
      '',
      async ({ request, session: { principal }, params: { owner, repository } }) => {
        const id = { owner, name: repository }
        const form = await readForm(request, PROPOSAL_BYTES_MAX)
        if (!form.ok) return forgeProblem(request, form.error)
        const proposal = proposalIn(form.value)
        if (!proposal.ok) return forgeProblem(request, proposal.error)
        const author = { name: principal.name, email: principal.email ?? '' }
        const opened = await forge.openPullRequest(id, { ...proposal.value, author })
        if (!opened.ok) return forgeProblem(request, opened.error)
        return redirect(pullLink(id, opened.value.pullRequest.number))
      },
      { parse: 'none', params },
    )
