import { Elysia } from 'elysia'
import { preferredFormat } from '#src/lib/http/preferred-format.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { mergeRights } from '#src/demo/merge-rights.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { plainText } from '#src/demo/pages/plain-text.ts'
import { pullRequestMain } from '#src/demo/pages/pull-request-page.ts'
import { changedFileJson, pullRequestJson } from '#src/demo/pages/pull-request-view.ts'
import { repositoryPage } from '#src/demo/pages/repository-page.ts'
import { pullRequestParams as params } from '#src/demo/repository-params.ts'
import { json } from '#src/lib/http/respond.ts'

export default ({ forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, session: { principal }, params: { owner, repository, number: digits } }) => {
      const id = { owner, name: repository }
      const number = Number(digits)
      const found = await forge.findPullRequests(id, { number })
      if (!found.ok) return forgeProblem(request, found.error)
      const [pullRequest] = found.value
      if (pullRequest === undefined) {
        return forgeProblem(request, { kind: 'forge_pull_request_not_found', number })
      }
      const files = await forge.changedFiles(id, number)
      if (!files.ok) return forgeProblem(request, files.error)
      if (preferredFormat(request) === 'json') {
        const body = { ...pullRequestJson(pullRequest), files: files.value.map(changedFileJson) }
        return json(body, { headers: { vary: 'accept, cookie' } })
      }

      const { base } = pullRequest
      const [diff, commits, rights] = await Promise.all([
        forge.diff(id, number),
        forge.pullRequestCommits(id, number),
        mergeRights(forge, platformGroup, { id, base, principal }),
      ])
      if (!diff.ok) return forgeProblem(request, diff.error)
      if (!commits.ok) return forgeProblem(request, commits.error)
      if (!rights.ok) return forgeProblem(request, rights.error)
      const title = `${plainText(pullRequest.title)} · #${number}`
      const main = pullRequestMain(request, pullRequest, {
        id,
        commits: commits.value,
        changes: { files: files.value, diff: diff.value },
        rights: rights.value,
      })
      return repositoryPage(request, { id, tab: 'pulls', title, main })
    },
    { params },
  )
