import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import {
  exampleRun,
  runBody,
  RunParameters,
  ScaffoldRun,
} from '#src/lib/presenters/scaffold/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'getRun',
  scope: 'catalog:read',
  tag: 'Scaffold',
  summary: 'Get a run',
  description:
    'Your own, or as a member of the platform team anybody’s. Somebody else’s counts as missing.',
  tagged: true,
  responses: {
    200: { description: 'The run', content: { schema: ScaffoldRun, example: exampleRun } },
  },
  problems: [404, 422],
})

export default ({ scaffold }: Pick<Deps, 'scaffold'>) =>
  new Elysia().use(session).get(
    '',
    async ({ request, params, session: { principal } }) => {
      const run = await scaffold.find(principal, params.id)
      return run.ok ? taggedJson(request, runBody(run.value)) : problem(request, run.error)
    },
    { params: pathParameters(RunParameters), ...description },
  )
