import type { Cluster, ClusterFailure, TraceContext } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { connectionFailure } from './connection-failure.ts'
import { readJson } from './read-json.ts'
import { statusFailure } from './status-failure.ts'
import type { InTurn } from './turns.ts'

const ERROR_BODY_MAX_BYTES = 64 * 1024

export interface ApiRequest {
  /** Made of names, below the API server's URL. */
  readonly path: string
  readonly query?: URLSearchParams
  readonly patch?: object
  readonly accept?: string
}

/** `token: null` is for probes alone. */
interface ProbeSender {
  readonly cluster: Pick<Cluster, 'apiServer' | 'trust' | 'tlsServerName'>
  readonly token: string | null
  readonly requestId?: string
  readonly trace?: TraceContext | null
  readonly signal: AbortSignal
}

/** Whose request it is, and until when it is wanted. */
export interface Sender extends ProbeSender {
  readonly token: string
  readonly inTurn: InTurn
  /** For an answer's headers; for the whole answer where it is not a stream. Waiting for one's turn counts. */
  readonly deadlineMs: number
}

/** RFC 6750 `b64token`: nothing that could end a header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{1,16384}=*$/

/**
 * One request, and its answer if it is a success. The API server's certificate is checked against this cluster's roots
 * alone, whatever `NODE_TLS_REJECT_UNAUTHORIZED` or another cluster's connection says; a redirect is not followed.
 * Throws what the connection throws.
 */
export async function send(
  { cluster, token, requestId, trace, signal }: ProbeSender,
  { path, query, patch, accept = 'application/json' }: ApiRequest,
): Promise<Result<Response, ClusterFailure>> {
  if (token !== null && !TOKEN.test(token)) return err({ kind: 'cluster_unauthorized' })
  const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`
  const response = await fetch(`${cluster.apiServer}${path}${search}`, {
    method: patch === undefined ? 'GET' : 'PATCH',
    redirect: 'manual',
    signal,
    tls: tlsOf(cluster),
    headers: {
      accept,
      'user-agent': 'portico',
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...trace,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(patch !== undefined && { 'content-type': 'application/strategic-merge-patch+json' }),
    },
    ...(patch !== undefined && { body: JSON.stringify(patch) }),
  })
  if (response.ok) return ok(response)
  const body = await readJson(response, ERROR_BODY_MAX_BYTES)
  const retryAfter = response.headers.get('retry-after')
  return err(statusFailure(response.status, retryAfter, body.ok ? body.value : null))
}

/** No `ca` would mean the system's roots, an empty one too: it is given for clusters that have their own. */
const tlsOf = ({ trust, tlsServerName }: Sender['cluster']) => ({
  rejectUnauthorized: true,
  ...(trust.kind === 'authority' && { ca: trust.pem }),
  ...(tlsServerName !== null && { serverName: tlsServerName }),
})

/** What is asked for and read whole within the deadline. */
export async function ask<Value>(
  sender: Sender,
  request: ApiRequest,
  read: (response: Response) => Promise<Result<Value, ClusterFailure>>,
): Promise<Result<Value, ClusterFailure>> {
  const signal = AbortSignal.any([sender.signal, AbortSignal.timeout(sender.deadlineMs)])
  try {
    return await sender.inTurn({ ...sender, signal }, async () => {
      const answer = await send({ ...sender, signal }, request)
      return answer.ok ? await read(answer.value) : answer
    })
  } catch (error) {
    return err(connectionFailure(error))
  }
}

/** A stream: the deadline is for its headers, and so is the turn. */
export async function open(
  sender: Sender,
  request: ApiRequest,
): Promise<Result<Response, ClusterFailure>> {
  try {
    return await withinDeadline(sender.deadlineMs, (late) => {
      const signal = AbortSignal.any([sender.signal, late])
      return sender.inTurn({ ...sender, signal }, () => send({ ...sender, signal }, request))
    })
  } catch (error) {
    return err(connectionFailure(error))
  }
}

/** A stream whose headers come with its first byte, whenever that is. It takes no turn: for who bounds streams otherwise. */
export async function openPatiently(
  sender: Sender,
  request: ApiRequest,
): Promise<Result<Response, ClusterFailure>> {
  try {
    return await send(sender, request)
  } catch (error) {
    return err(connectionFailure(error))
  }
}
