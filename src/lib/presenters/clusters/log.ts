import { Type } from 'typebox'
import type { ClusterRequest } from '../../domain/clusters/access.ts'
import type { ClusterProblem } from '../../domain/clusters/clusters.ts'
import type { IdentityFailure } from '../../ports/identity.ts'
import type { Result } from '../../result.ts'
import {
  CLUSTER_PROBLEMS,
  clusterProblem,
  clusterRequestOf,
  type NamespaceContext,
} from './request.ts'

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** Streams a log, until the service stops at the latest. `HEAD` follows none, and gives it up. */
export async function answerLog(
  { request, session, params }: NamespaceContext,
  stopping: AbortSignal,
  open: (
    request: ClusterRequest,
    isStreamed: boolean,
  ) => Promise<Result<ReadableStream<Uint8Array>, ClusterProblem | IdentityFailure>>,
): Promise<Response> {
  const clusterRequest = clusterRequestOf(request, session, params)
  const signal = AbortSignal.any([clusterRequest.signal, stopping])
  const isStreamed = request.method === 'GET'
  const log = await open({ ...clusterRequest, signal }, isStreamed)
  if (!log.ok) return clusterProblem(request, log.error)
  if (isStreamed) return new Response(log.value, { headers: HEADERS })
  await log.value.cancel()
  return new Response(null, { headers: HEADERS })
}

/** For the OpenAPI document. */
export const logAnswers = {
  responses: {
    200: { description: 'The log', content: { contentType: 'text/plain', schema: Type.String() } },
  },
  problems: CLUSTER_PROBLEMS,
} as const
