import { Elysia } from 'elysia'
import { changePullRequest } from '#src/demo/change-pull-request.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { readForm } from '#src/lib/http/form.ts'
import { pullRequestParams } from '#src/demo/repository-params.ts'
import { problem } from '#src/lib/http/problem.ts'
import { session } from '#src/lib/http/session.ts'
import { ObjectId } from '#src/lib/names.ts'
import { TEXT_RULES } from '#src/lib/schema/rules.ts'

const notACommit = {
  kind: 'validation_failed',
  errors: [{ path: '/head', rule: 'commit', message: TEXT_RULES.commit }],
} as const

export default ({ forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  new Elysia().use(session).post(
    '',
    async ({ request, params, session: { principal } }) => {
      const form = await readForm(request)
      if (!form.ok) return problem(request, form.error)
      // The page sends the head that it showed. Without it the present head is merged.
      const shownHead = form.value.get('head')
      const expectedHead = ObjectId.parse(shownHead)
      if (shownHead !== null && expectedHead === undefined) return problem(request, notACommit)
      return changePullRequest(
        { forge, platformGroup },
        { request, params, principal },
        (repository, number, by) =>
          forge.mergePullRequest(repository, number, { by, ...(expectedHead && { expectedHead }) }),
      )
    },
    { parse: 'none', params: pullRequestParams },
  )
