import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { runStream, runStreamHeaders, streamRun } from '#src/lib/presenters/scaffold/run-stream.ts'
import { RunParameters } from '#src/lib/presenters/scaffold/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'retryRun',
  tag: 'Scaffold',
  summary: 'Retry a failed run from the failed step',
  description: 'If the run is running, the request joins its stream.',
  responses: {
    200: { description: 'The stream of the run', content: runStream, headers: runStreamHeaders },
  },
  problems: [400, 403, 404, 409, 413, 415, 422],
})

export default ({ scaffold, stopping }: Pick<Deps, 'scaffold' | 'stopping'>) =>
  new Elysia().use(session).post(
    '',
    async ({ request, params, session: { principal } }) => {
      const body = await refuseForeignBody(request)
      if (!body.ok) return problem(request, body.error)
      const run = await scaffold.retry(principal, params.id)
      if (!run.ok) return problem(request, run.error)
      return streamRun({ scaffold, stopping }, run.value, 0)
    },
    { parse: 'none', params: pathParameters(RunParameters), ...description },
  )
