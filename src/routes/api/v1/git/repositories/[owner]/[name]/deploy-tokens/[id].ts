import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { RunId } from '#src/lib/names.ts'
import {
  exampleDeployToken,
  NO_EMBEDDED_HOST,
  RepositoryParameters,
} from '#src/lib/presenters/deploy-tokens.ts'
import { named } from '#src/lib/schema/named.ts'

const Parameters = Type.Object({
  ...RepositoryParameters.properties,
  id: named(RunId, {
    description: 'Id of a deploy token of the repository',
    examples: [exampleDeployToken.id],
  }),
})

const description = operation({
  id: 'endDeployToken',
  tag: 'Git',
  summary: 'End a deploy token, as a member of the platform team',
  responses: { 204: { description: 'The token has ended' } },
  problems: [400, 403, 404, 413, 415, 422, 429, 502, 503, 504],
})

export default ({ deployTokens, claims, usage }: Pick<Deps, 'deployTokens' | 'claims' | 'usage'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .delete(
      '',
      async ({ request, params: { owner, name, id }, decider }) => {
        if (deployTokens === null) return problem(request, NO_EMBEDDED_HOST)
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const repository = { owner, name }
        const ended = await deployTokens.end({ repository, principal, requestId, address }, id)
        return ended.ok ? noContent() : problem(request, ended.error)
      },
      { parse: 'none', params: pathParameters(Parameters), ...description },
    )
