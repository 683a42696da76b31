import { Elysia } from 'elysia'
import { changePullRequest } from '#src/demo/change-pull-request.ts'
import type { DemoDeps } from '#src/demo/deps.ts'
import { pullRequestParams } from '#src/demo/repository-params.ts'
import { session } from '#src/lib/http/session.ts'

export default ({ forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  new Elysia()
    .use(session)
    .post(
      '',
      ({ request, params, session: { principal } }) =>
        changePullRequest(
          { forge, platformGroup },
          { request, params, principal },
          (repository, number, by) => forge.closePullRequest(repository, number, by),
        ),
      { parse: 'none', params: pullRequestParams },
    )
