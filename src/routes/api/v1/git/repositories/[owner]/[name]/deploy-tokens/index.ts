import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { readJson } from '#src/lib/http/body.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { createChecker, pathParameters } from '#src/lib/http/schema.ts'
import { Label } from '#src/lib/names.ts'
import {
  deployTokenBody,
  DeployToken,
  exampleDeployToken,
  NO_EMBEDDED_HOST,
  RepositoryParameters,
} from '#src/lib/presenters/deploy-tokens.ts'
import { named } from '#src/lib/schema/named.ts'

const BODY_MAX_BYTES = 4 * 1024

const Body = Type.Object({
  name: named(Label, { description: 'Of who uses it', examples: ['argo-cd'] }),
  access: Type.Union([Type.Literal('read'), Type.Literal('write')], {
    description: '`write`: pushes branches and tags too, but never the default branch',
  }),
})

const Created = Type.Object(
  {
    token: Type.String({ description: 'The password for git, which is shown this once' }),
    deployToken: DeployToken,
  },
  { $id: 'CreatedDeployToken' },
)

const list = operation({
  id: 'listDeployTokens',
  tag: 'Git',
  summary: 'List the deploy tokens of a repository, as a member of the platform team',
  description: 'Newest first. Of the embedded git host; with another one this is 404.',
  responses: {
    200: {
      description: 'The tokens, without their secrets',
      content: { schema: Type.Array(DeployToken), example: [exampleDeployToken] },
    },
  },
  problems: [403, 404, 422, 502, 503, 504],
})

const create = operation({
  id: 'createDeployToken',
  tag: 'Git',
  summary: 'Make a deploy token for a repository, as a member of the platform team',
  description:
    'Argo CD, CI and other machines clone and push with it: over https, with any user name, and the token as password. It ends when somebody ends it.',
  body: { schema: Body, example: { name: 'argo-cd', access: 'read' } },
  responses: {
    201: {
      description: 'The token',
      content: {
        schema: Created,
        example: {
          token: `prd_${'0'.repeat(49)}`,
          deployToken: exampleDeployToken,
        },
      },
    },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

export default ({
  deployTokens,
  claims,
  usage,
}: Pick<Deps, 'deployTokens' | 'claims' | 'usage'>) => {
  const check = createChecker(Body, '')
  const params = pathParameters(RepositoryParameters)
  const listing = new Elysia().use(decidingSession(claims)).get(
    '',
    async ({ request, params: repository, decider }) => {
      if (deployTokens === null) return problem(request, NO_EMBEDDED_HOST)
      const decided = await decider()
      if (!decided.ok) return problem(request, decided.error)
      const { principal } = decided.value
      const tokens = await deployTokens.list({ repository, principal })
      return tokens.ok ? json(tokens.value.map(deployTokenBody)) : problem(request, tokens.error)
    },
    { params, ...list },
  )
  const creating = new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, params: repository, decider }) => {
        if (deployTokens === null) return problem(request, NO_EMBEDDED_HOST)
        const body = await readJson(request, BODY_MAX_BYTES)
        if (!body.ok) return problem(request, body.error)
        const parsed = check(body.value)
        if (!parsed.ok) return problem(request, parsed.error)
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { principal } = decided.value
        const { requestId, address } = contextOf(request)
        const asked = { repository, principal, requestId, address }
        const { name, access } = parsed.value
        const created = await deployTokens.create(asked, name, access)
        if (!created.ok) return problem(request, created.error)
        const { token, created: deployToken } = created.value
        return json({ token, deployToken: deployTokenBody(deployToken) }, { status: 201 })
      },
      { parse: 'none', params, ...create },
    )
  return new Elysia().use(listing).use(creating)
}
