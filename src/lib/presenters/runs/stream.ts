import { Type } from 'typebox'
import type { Fair } from '../../concurrency/fair.ts'
import type { Session } from '../../domain/access/sessions/session.ts'
import type { Sessions } from '../../domain/access/sessions/sessions.ts'
import { keyOf } from '../../domain/limits/person-key.ts'
import type { Runs } from '../../domain/runs/runs.ts'
import { problem } from '../../http/problem.ts'
import { json } from '../../http/respond.ts'
import { eventStream, eventStreamHeaders } from '../../http/sse.ts'
import type { RunId } from '../../names.ts'
import type { RunStatus } from '../../ports/database/runs.ts'

export interface RunStreamOptions {
  readonly runs: Pick<Runs, 'follow'>
  readonly sessions: Pick<Sessions, 'watch'>
  readonly runStreams: Pick<Fair, 'take' | 'hasRoom'>
  readonly stopping: AbortSignal
}

export const TOO_MANY_STREAMS = { kind: 'too_many_streams' } as const

/** The events of a run, past and future, until the run or the session of the reader has ended. */
export function streamRun(
  request: Request,
  { runs, sessions, runStreams, stopping }: RunStreamOptions,
  session: Session,
  id: RunId,
  after: number,
  path: string,
): Response {
  const release = runStreams.take(keyOf(session.principal))
  if (release === undefined) return problem(request, TOO_MANY_STREAMS)
  return eventStream((signal) => runs.follow(id, after, signal), {
    stopping,
    endWith(end) {
      const unwatch = sessions.watch(session, end)
      return () => {
        unwatch()
        release()
      }
    },
    headers: headersOf(id, path),
  })
}

/** The answer to HEAD; Elysia would read the stream to its end. */
export const headOfRunStream = (id: RunId, path: string): Response =>
  new Response(null, { headers: { ...eventStreamHeaders, ...headersOf(id, path) } })

const headersOf = (id: RunId, location: string) => ({ 'x-run-id': id, location })

/** The answer to a client that follows the run by itself. `isAsync`: it has asked for that. */
export const acceptedRun = (
  { id, status }: { readonly id: RunId; readonly status: RunStatus },
  path: string,
  isAsync: boolean,
): Response =>
  json(
    { runId: id, status, eventsUrl: `${path}/events` },
    {
      status: 202,
      headers: {
        ...headersOf(id, path),
        ...(isAsync && { 'preference-applied': 'respond-async' }),
      },
    },
  )

/** Nine digits, as `Last-Event-ID` may have. */
const SEQ_MAX = 999_999_999

export const FollowQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: SEQ_MAX,
      description: 'Id of the last event received; the header `Last-Event-ID` takes precedence',
    }),
  ),
})

export const followHeaders = {
  'Last-Event-ID': Type.String({ description: 'Id of the last event received' }),
}

export const runStreamHeaders = {
  'X-Run-Id': 'Id of the run, which continues when the client disconnects',
  Location: 'Path of the run as JSON; `/events` below it is its stream',
}
