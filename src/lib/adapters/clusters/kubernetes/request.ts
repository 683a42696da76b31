import { retryAfterSeconds } from '../../../outbound/retry-after.ts'
import type { Cluster, ClusterFailure, TraceContext } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { readJson } from './read-json.ts'
import { connectionFailure, statusFailure } from './failures.ts'

const ERROR_BODY_MAX_BYTES = 64 * 1024

export interface ApiRequest {
  /** Appended to the API server's URL; built from validated names. */
  readonly path: string
  /** Parameters that are `null` or `false` are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null>>
  readonly write?: { readonly kind: keyof typeof WRITES; readonly object: object }
  readonly accept?: string
}

const WRITES = {
  create: { method: 'POST', contentType: 'application/json' },
  patch: { method: 'PATCH', contentType: 'application/strategic-merge-patch+json' },
} as const

/** Who sends a request, and to whom. */
interface RequestSender {
  readonly cluster: Pick<Cluster, 'apiServer' | 'trust' | 'tlsServerName'>
  /** `null` for probes only. */
  readonly token: string | null
  readonly requestId?: string
  readonly trace?: TraceContext | null
  readonly signal: AbortSignal
  /** Receives the `Date` of each answer of the API server itself. */
  readonly onDate?: (date: string | null) => void
}

export interface Sender extends RequestSender {
  /** Does work when the API server and the process have room for it. */
  readonly inTurn: <Value>(
    apiServer: string,
    work: () => Promise<Value>,
    signal: AbortSignal,
  ) => Promise<Value>
  /** For the headers of a stream, else for the whole answer. Includes the wait for a turn. */
  readonly deadlineMs: number
}

/** RFC 6750 `b64token`, which cannot break out of a header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{1,16384}=*$/

/** The API server passes these on to a server with a clock of its own. */
const AGGREGATED = '/apis/metrics.k8s.io/'

/**
 * Sends one request. The certificate is verified against this cluster's roots only, regardless of `NODE_TLS_REJECT_UNAUTHORIZED`
 * and of other clusters' connections; redirects are not followed. Throws what the connection throws.
 */
export async function send(
  { cluster, token, requestId, trace, signal, onDate }: RequestSender,
  { path, query = {}, write, accept = 'application/json' }: ApiRequest,
): Promise<Result<Response, ClusterFailure>> {
  if (token !== null && !TOKEN.test(token)) return err({ kind: 'cluster_unauthorized' })
  const response = await fetch(`${cluster.apiServer}${path}${searchOf(query)}`, {
    method: write === undefined ? 'GET' : WRITES[write.kind].method,
    redirect: 'manual',
    signal,
    // Bun would end a log that is silent for five minutes. Every call has a deadline, and a followed log the end of its token.
    timeout: false,
    tls: tlsOf(cluster),
    headers: {
      accept,
      'user-agent': 'portico',
      // API servers log `Audit-ID`, as it is; proxies before them log `X-Request-Id`.
      ...(requestId !== undefined && { 'audit-id': requestId, 'x-request-id': requestId }),
      ...trace,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(write !== undefined && { 'content-type': WRITES[write.kind].contentType }),
    },
    ...(write !== undefined && { body: JSON.stringify(write.object) }),
  })
  if (!path.startsWith(AGGREGATED)) onDate?.(response.headers.get('date'))
  if (response.ok) return ok(response)
  const body = await readJson(response, ERROR_BODY_MAX_BYTES)
  const waitSeconds = retryAfterSeconds(response.headers)
  return err(statusFailure(response.status, waitSeconds, body.ok ? body.value : null))
}

function searchOf(query: NonNullable<ApiRequest['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== false) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

/** A missing or empty `ca` means the system's roots. */
const tlsOf = ({ trust, tlsServerName }: Sender['cluster']) => ({
  rejectUnauthorized: true,
  ...(trust.kind === 'authority' && { ca: trust.pem }),
  ...(tlsServerName !== null && { serverName: tlsServerName }),
})

type Answer<Value> = Promise<Result<Value, ClusterFailure>>

/** Sends a request and reads the whole answer within the deadline. */
export function ask<Value>(
  sender: Sender,
  request: ApiRequest,
  read: (response: Response) => Answer<Value>,
): Answer<Value> {
  const signal = AbortSignal.any([sender.signal, AbortSignal.timeout(sender.deadlineMs)])
  return catchConnection(() =>
    sender.inTurn(
      sender.cluster.apiServer,
      async () => {
        const response = await send({ ...sender, signal }, request)
        return response.ok ? await read(response.value) : response
      },
      signal,
    ),
  )
}

/** Opens a stream. Deadline and turn end with its headers. */
export const open = (sender: Sender, request: ApiRequest): Answer<Response> =>
  catchConnection(() =>
    withinDeadline(sender.deadlineMs, (late) => {
      const signal = AbortSignal.any([sender.signal, late])
      const work = () => send({ ...sender, signal }, request)
      return sender.inTurn(sender.cluster.apiServer, work, signal)
    }),
  )

/** Opens a stream whose headers arrive with its first byte, at any time. No deadline, no turn: the caller limits streams. */
export const openPatiently = (sender: Sender, request: ApiRequest): Answer<Response> =>
  catchConnection(() => send(sender, request))

async function catchConnection<Value>(work: () => Answer<Value>): Answer<Value> {
  try {
    return await work()
  } catch (error) {
    return err(connectionFailure(error))
  }
}
