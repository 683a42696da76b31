import { Elysia } from 'elysia'
import { preferredFormat } from '#src/lib/http/preferred-format.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { forgeProblem } from '#src/demo/forge-problem.ts'
import { pageSession } from '#src/demo/page-session.ts'
import { page } from '#src/demo/page.ts'
import { plainText } from '#src/demo/plain-text.ts'
import { pullRequestMain } from '#src/demo/pull-request-page.ts'
import { changedFileJson, pullRequestJson } from '#src/demo/pull-request-view.ts'
import { pullRequestParams as params } from '#src/demo/repository-params.ts'
import { isPlatform } from '#src/lib/domain/access/principal.ts'
import { json } from '#src/lib/http/respond.ts'

export default ({ forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, session, params: { owner, repository, number: digits } }) => {
      const id = { owner, name: repository }
      const number = Number(digits)
      const found = await forge.findPullRequests(id, { number })
      if (!found.ok) return forgeProblem(request, found.error)
      const [pullRequest] = found.value
      if (pullRequest === undefined)
        return forgeProblem(request, { kind: 'forge_pull_request_not_found', number })
      const files = await forge.changedFiles(id, number)
      if (!files.ok) return forgeProblem(request, files.error)
      if (preferredFormat(request) === 'json') {
        const body = { ...pullRequestJson(pullRequest), files: files.value.map(changedFileJson) }
        return json(body, { headers: { vary: 'accept, cookie' } })
      }

      const diff = await forge.diff(id, number)
      if (!diff.ok) return forgeProblem(request, diff.error)
      const mayAct = isPlatform(session.principal, platformGroup)
      const main = pullRequestMain(request, id, pullRequest, {
        files: files.value,
        diff: diff.value,
        mayAct,
      })
      return page(request, `${plainText(pullRequest.title)} · #${number}`, main)
    },
    { params },
  )
