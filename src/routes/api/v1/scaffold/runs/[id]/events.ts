import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { limited, streams } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import {
  FollowQuery,
  followHeaders,
  headOfRunStream,
  runStreamHeaders,
  streamRun,
} from '#src/lib/presenters/runs/stream.ts'
import { projectRunPath, runStream } from '#src/lib/presenters/scaffold/run-answer.ts'
import { RunParameters } from '#src/lib/presenters/scaffold/schemas.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { lastSeen } from '#src/lib/http/sse.ts'

const description = operation({
  id: 'followRun',
  scope: 'catalog:read',
  tag: 'Scaffold',
  summary: 'Stream the past and future events of a run',
  description: 'Starts after the event of `Last-Event-ID` or `after`, and ends with the run.',
  query: FollowQuery,
  headers: followHeaders,
  responses: { 200: { description: 'The stream', content: runStream, headers: runStreamHeaders } },
  problems: [404, 422, 429],
})

type Needed = Pick<Deps, 'scaffold' | 'runs' | 'sessions' | 'runStreams' | 'stopping' | 'usage'>

export default (deps: Needed) => {
  const { scaffold, usage } = deps
  const parseQuery = createQueryParser(FollowQuery)
  return new Elysia()
    .use(session)
    .use(limited(usage, streams))
    .get(
      '',
      async ({ request, params, session }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const run = await scaffold.find(session.principal, params.id)
        if (!run.ok) return problem(request, run.error)
        const { id } = run.value
        const path = projectRunPath(id)
        if (request.method === 'HEAD') return headOfRunStream(id, path)
        const after = lastSeen(request, query.value.after)
        return streamRun(request, deps, session, id, after, path)
      },
      { params: pathParameters(RunParameters), ...description },
    )
}
