import { Type } from 'typebox'
import type { SecretActors } from '../../domain/access/secret-actor.ts'
import type { Session } from '../../domain/access/sessions/session.ts'
import { keyOf } from '../../domain/limits/person-key.ts'
import type { Run } from '../../domain/scaffold/run.ts'
import type { Caller } from '../../domain/scaffold/secret-right.ts'
import { eventContent } from '../../http/event-content.ts'
import type { Failure } from '../../http/failure.ts'
import { prefersAsync } from '../../http/negotiation.ts'
import { problem } from '../../http/problem.ts'
import { contextOf } from '../../http/request-context.ts'
import type { Result } from '../../result.ts'
import {
  acceptedRun,
  type RunStreamOptions,
  runStreamHeaders,
  streamRun,
  TOO_MANY_STREAMS,
} from '../runs/stream.ts'
import { AcceptedRun, exampleRun, RunDone, RunFailed, RunStep } from './schemas.ts'

export const projectRunPath = (id: string): string => `/api/v1/scaffold/runs/${id}`

export function callerOf(request: Request, session: Session, secretActors: SecretActors): Caller {
  const { requestId, address } = contextOf(request)
  return {
    principal: session.principal,
    requestId,
    address,
    secretActor: () => secretActors.of(session, { requestId, address }),
  }
}

/** Begins or resumes a run, and answers with its stream, if the client waits for it. Without room for the stream nothing begins. */
export async function answerWithRun(
  request: Request,
  options: RunStreamOptions,
  session: Session,
  begin: () => Promise<Result<Run, Failure>>,
): Promise<Response> {
  const isAsync = prefersAsync(request)
  if (!isAsync && !options.runStreams.hasRoom(keyOf(session.principal)))
    return problem(request, TOO_MANY_STREAMS)
  const run = await begin()
  if (!run.ok) return problem(request, run.error)
  const { id } = run.value
  return isAsync
    ? acceptedRun(run.value, projectRunPath(id), isAsync)
    : streamRun(request, options, session, id, 0, projectRunPath(id))
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
      eventsUrl: `${projectRunPath(exampleRun.id)}/events`,
    },
  },
  headers: { ...runStreamHeaders, 'Preference-Applied': '`respond-async`' },
}
