import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import {
  exampleMove,
  moveBody,
  MoveRunParameters,
  PromotionRun,
} from '#src/lib/presenters/promotion/run.ts'

const description = operation({
  id: 'getPromotionRun',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'Get the run of a move that had to wait',
  description:
    'Your own, or as a member of the platform team anybody’s. Somebody else’s counts as missing. A move that ends in a refusal has it in `failure`.',
  tagged: true,
  responses: {
    200: { description: 'The run', content: { schema: PromotionRun, example: exampleMove } },
  },
  problems: [404, 422],
})

export default ({ promotion }: Pick<Deps, 'promotion'>) =>
  new Elysia().use(session).get(
    '',
    async ({ request, params, session: { principal } }) => {
      const run = await promotion.findRun(principal, params.id)
      return run.ok ? taggedJson(request, moveBody(run.value)) : problem(request, run.error)
    },
    { params: pathParameters(MoveRunParameters), ...description },
  )
