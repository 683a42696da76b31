import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { redirect } from '#src/console/git/page.ts'
import { pullLink } from '#src/console/git/links.ts'
import {
  PROPOSAL_BYTES_MAX,
  newPullMain,
  proposalIn,
  readProposal,
} from '#src/console/git/new-pull.ts'
import { repositoryPage, repositoryRoute } from '#src/console/git/repository-page.ts'
import { repositoryParams as params } from '#src/console/git/repository-params.ts'
import { readForm } from '#src/lib/http/form.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { session } from '#src/lib/http/session.ts'

const form = repositoryRoute(async (forge, request, id) => {
  const proposal = await readProposal(forge, id, new URL(request.url).searchParams)
  if (!proposal.ok) return forgeProblem(request, proposal.error)
  const title = `New pull request · ${id.owner}/${id.name}`
  const main = newPullMain(id, proposal.value)
  return repositoryPage(request, { id, tab: 'pulls', title, main })
})

/** Opens a pull request: what would be merged, and a form for its texts. */
export default ({
  forge,
  pullRequests,
  usage,
}: Pick<GitPageDeps, 'forge' | 'pullRequests' | 'usage'>) => {
  const opening = new Elysia()
    .use(session)
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, session: { principal }, params: { owner, repository } }) => {
        const id = { owner, name: repository }
        const form = await readForm(request, PROPOSAL_BYTES_MAX)
        if (!form.ok) return forgeProblem(request, form.error)
        const proposal = proposalIn(form.value)
        if (!proposal.ok) return forgeProblem(request, proposal.error)
        const opened = await pullRequests.open(id, principal, proposal.value)
        if (!opened.ok) return forgeProblem(request, opened.error)
        return redirect(pullLink(id, opened.value.number))
      },
      { parse: 'none', params },
    )
  return new Elysia().use(form({ forge })).use(opening)
}
