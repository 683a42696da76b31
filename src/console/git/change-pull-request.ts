import { Elysia } from 'elysia'
import type { PullRequestAct, PullRequestFailure } from '../../lib/domain/forge/pull-requests.ts'
import { decidingSession } from '../../lib/http/deciding-session.ts'
import { readForm } from '../../lib/http/form.ts'
import { limited, writes } from '../../lib/http/limited.ts'
import { preferredFormat } from '../../lib/http/negotiation.ts'
import { contextOf } from '../../lib/http/request-context.ts'
import { json } from '../../lib/http/respond.ts'
import { ObjectId } from '../../lib/names.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import type { Result } from '../../lib/result.ts'
import { TEXT_RULES } from '../../lib/schema/rules.ts'
import type { GitPageDeps } from './deps.ts'
import { forgeProblem } from './forge-problem.ts'
import { redirect } from './page.ts'
import { pullLink } from './links.ts'
import { pullRequestJson } from './pull-request.ts'
import { pullRequestParams as params } from './repository-params.ts'

const notACommit = {
  kind: 'validation_failed',
  errors: [{ path: '/head', rule: 'commit', message: TEXT_RULES.commit }],
} as const

/** A route of an act on a pull request, for a form of its page or a program. */
export const changePullRequest = (
  { claims, usage }: Pick<GitPageDeps, 'claims' | 'usage'>,
  act: (request: PullRequestAct) => Promise<Result<PullRequest, PullRequestFailure>>,
) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, params: { owner, repository: name, number: digits }, decider }) => {
        const form = await readForm(request)
        if (!form.ok) return forgeProblem(request, form.error)
        // The page sends the head that it showed. Without it the present head is meant.
        const shown = form.value.get('head')
        const seen = ObjectId.parse(shown)
        if (shown !== null && seen === undefined) return forgeProblem(request, notACommit)
        const decided = await decider()
        if (!decided.ok) return forgeProblem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const repository = { owner, name }
        const number = Number(digits)
        const changed = await act({ repository, number, principal, seen, requestId, address })
        if (!changed.ok) return forgeProblem(request, changed.error)
        if (preferredFormat(request) === 'json') return json(pullRequestJson(changed.value))
        return redirect(pullLink(repository, number))
      },
      { parse: 'none', params },
    )
