import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { runStream, runStreamHeaders, streamRun } from '#src/lib/presenters/scaffold/run-stream.ts'
import { RunParameters } from '#src/lib/presenters/scaffold/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'

const description = operation({
  id: 'retryRun',
  tag: 'Scaffold',
  summary: 'Retry a failed run from the failed step',
  description: 'If the run is running, the request joins its stream.',
  responses: {
    200: { description: 'The stream of the run', content: runStream, headers: runStreamHeaders },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 502, 503, 504],
})

type Needed = Pick<Deps, 'scaffold' | 'sessions' | 'claims' | 'stopping'>

export default ({ scaffold, sessions, stopping, claims }: Needed) =>
  new Elysia().use(decidingSession(claims)).post(
    '',
    async ({ request, params, decider }) => {
      const body = await refuseForeignBody(request)
      if (!body.ok) return problem(request, body.error)
      const decided = await decider()
      if (!decided.ok) return problem(request, decided.error)
      const run = await scaffold.retry(decided.value.principal, params.id)
      if (!run.ok) return problem(request, run.error)
      return streamRun({ scaffold, sessions, stopping }, decided.value, run.value, 0)
    },
    { parse: 'none', params: pathParameters(RunParameters), ...description },
  )
