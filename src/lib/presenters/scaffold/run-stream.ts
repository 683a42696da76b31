import { Type } from 'typebox'
import type { Session } from '../../domain/access/sessions/session.ts'
import type { Sessions } from '../../domain/access/sessions/sessions.ts'
import type { Fair } from '../../concurrency/fair.ts'
import { keyOf } from '../../domain/limits/person-key.ts'
import type { Runs } from '../../domain/runs/runs.ts'
import type { Run } from '../../domain/scaffold/run.ts'
import { eventContent } from '../../http/event-content.ts'
import type { Failure } from '../../http/failure.ts'
import { prefersAsync } from '../../http/preference.ts'
import { problem } from '../../http/problem.ts'
import { json } from '../../http/respond.ts'
import { eventStream, eventStreamHeaders } from '../../http/sse.ts'
import type { Result } from '../../result.ts'
import { AcceptedRun, exampleRun, RunDone, RunFailed, RunStep } from './schemas.ts'

export interface RunStreamOptions {
  readonly runs: Pick<Runs, 'follow'>
  readonly sessions: Pick<Sessions, 'watch'>
  readonly runStreams: Pick<Fair, 'take' | 'hasRoom'>
  readonly stopping: AbortSignal
}

const TOO_MANY = { kind: 'too_many_streams' } as const

/** Begins or resumes a run, and answers with its stream, if the client waits for it. Without room for the stream nothing begins. */
export async function answerWithRun(
  request: Request,
  options: RunStreamOptions,
  session: Session,
  begin: () => Promise<Result<Run, Failure>>,
): Promise<Response> {
  const isAsync = prefersAsync(request)
  if (!isAsync && !options.runStreams.hasRoom(keyOf(session.principal)))
    return problem(request, TOO_MANY)
  const run = await begin()
  if (!run.ok) return problem(request, run.error)
  return isAsync ? acceptedRun(run.value) : streamRun(request, options, session, run.value, 0)
}

/** The events of a run, past and future, until the run or the session of the reader has ended. */
export function streamRun(
  request: Request,
  { runs, sessions, runStreams, stopping }: RunStreamOptions,
  session: Session,
  { id }: Pick<Run, 'id'>,
  after: number,
  location = pathOf(id),
): Response {
  const release = runStreams.take(keyOf(session.principal))
  if (release === undefined) return problem(request, TOO_MANY)
  return eventStream((signal) => runs.follow(id, after, signal), {
    stopping,
    endWith(end) {
      const unwatch = sessions.watch(session, end)
      return () => {
        unwatch()
        release()
      }
    },
    headers: headersOf(id, location),
  })
}

/** The answer to HEAD; Elysia would read the stream to its end. */
export const headOfRunStream = ({ id }: Pick<Run, 'id'>, location = pathOf(id)): Response =>
  new Response(null, { headers: { ...eventStreamHeaders, ...headersOf(id, location) } })

const pathOf = (id: string): string => `/api/v1/scaffold/runs/${id}`

const headersOf = (id: string, location = pathOf(id)) => ({ 'x-run-id': id, location })

/** The answer to a client that follows the run by itself. */
const acceptedRun = ({ id, status }: Pick<Run, 'id' | 'status'>): Response => {
  const { location, ...headers } = headersOf(id)
  return json(
    { runId: id, status, eventsUrl: `${location}/events` },
    { status: 202, headers: { ...headers, location, 'preference-applied': 'respond-async' } },
  )
}

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

/** For the OpenAPI document. */
export const runStream = eventContent(
  'RunEvent',
  { step: RunStep, done: RunDone, failed: RunFailed },
  {
    description:
      'Events `step` (status `in_progress`, again when the step waits for the git host or the secret store, or is tried again, then `complete`, `skipped` or `failed`), and a last event, either `done` or `failed`. To resume the stream, send the `id` of the last event as `Last-Event-ID`',
    example:
      'id: 1\nevent: step\ndata: {"step":"create_repo","status":"in_progress","message":"Creating acme/refund-api"}\n\n',
  },
)

export const runStreamHeaders = {
  'X-Run-Id': 'Id of the run, which continues when the client disconnects',
  Location: 'Path of the run as JSON; `/events` below it is its stream',
}

export const preferAsync = {
  Prefer: Type.String({
    maxLength: 200,
    examples: ['respond-async'],
    description: '`respond-async`: answers 202 at once instead of the stream (RFC 7240)',
  }),
}

export const acceptedResponse = {
  description: 'With `Prefer: respond-async`: the run goes on, and its events are elsewhere',
  content: {
    schema: AcceptedRun,
    example: {
      runId: exampleRun.id,
      status: 'running',
      eventsUrl: `/api/v1/scaffold/runs/${exampleRun.id}/events`,
    },
  },
  headers: { ...runStreamHeaders, 'Preference-Applied': '`respond-async`' },
}
