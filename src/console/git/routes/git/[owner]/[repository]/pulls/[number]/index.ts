import { Elysia } from 'elysia'
import { preferredFormat } from '#src/lib/http/negotiation.ts'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { plainText } from '#src/console/git/parts.ts'
import { changedFileJson, pullRequestJson, pullRequestMain } from '#src/console/git/pull-request.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { pullRequestParams as params } from '#src/console/git/repository-params.ts'
import { json } from '#src/lib/http/respond.ts'

export default ({ forge, pullRequests }: Pick<GitPageDeps, 'forge' | 'pullRequests'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, session: { principal }, params: { owner, repository, number: digits } }) => {
      const id = { owner, name: repository }
      const number = Number(digits)
      const judged = await pullRequests.judge(id, number, principal)
      if (!judged.ok) return forgeProblem(request, judged.error)
      const { pullRequest, changes, range } = judged.value
      if (preferredFormat(request) === 'json') {
        const body = { ...pullRequestJson(pullRequest), files: changes.files.map(changedFileJson) }
        return json(body, { headers: { vary: 'accept, cookie' } })
      }

      const commits = await forge.browse.history(id, { of: range.head, without: range.base })
      if (!commits.ok) return forgeProblem(request, commits.error)
      const title = `${plainText(pullRequest.title)} · #${number}`
      const main = pullRequestMain(judged.value, {
        id,
        commits: commits.value,
        required: forge.policy.approvals,
      })
      return repositoryPage(request, { id, tab: 'pulls', title, main })
    },
    { params },
  )
