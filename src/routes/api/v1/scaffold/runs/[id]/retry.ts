import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { runStreamHeaders } from '#src/lib/presenters/runs/stream.ts'
import {
  acceptedResponse,
  answerWithRun,
  callerOf,
  preferAsync,
  runStream,
} from '#src/lib/presenters/scaffold/run-answer.ts'
import { RunParameters } from '#src/lib/presenters/scaffold/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'

const description = operation({
  id: 'retryRun',
  scope: 'scaffold:write',
  tag: 'Scaffold',
  summary: 'Retry a failed run from the failed step',
  description:
    'If the run is running, the request joins its stream, and a wait of the run ends. If the secret entry is still to be created, the person needs the right to it, as at the start.',
  headers: preferAsync,
  responses: {
    200: { description: 'The stream of the run', content: runStream, headers: runStreamHeaders },
    202: acceptedResponse,
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

type Needed = Pick<
  Deps,
  'scaffold' | 'runs' | 'sessions' | 'claims' | 'secretActors' | 'runStreams' | 'stopping' | 'usage'
>

export default (deps: Needed) => {
  const { scaffold, claims, secretActors, usage } = deps
  return new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, params, decider }) => {
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const session = decided.value
        const caller = callerOf(request, session, secretActors)
        return answerWithRun(request, deps, session, () => scaffold.retry(caller, params.id))
      },
      { parse: 'none', params: pathParameters(RunParameters), ...description },
    )
}
