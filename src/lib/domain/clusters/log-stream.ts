import type { Subdomain } from '../../names.ts'
import type { Kubernetes, LogQuery } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AccessFailure, ClusterRequest, GrantedAccess } from './access.ts'
import type { OpenStreams, TooManyStreams } from './open-streams.ts'

export interface PodNotFound {
  readonly kind: 'pod_not_found'
}

/** Opens a log that ends when the person's token or right does. It holds a slot among the open streams until it is read or cancelled. */
export async function openLog<Failure extends { readonly kind: string }>(
  streams: OpenStreams,
  request: ClusterRequest,
  begin: (access: GrantedAccess) => Promise<Result<ReadableStream<Uint8Array>, Failure>>,
): Promise<Result<ReadableStream<Uint8Array>, Failure | AccessFailure | TooManyStreams>> {
  const opened = await streams.open(request, begin)
  if (!opened.ok) return opened
  const { value, access, close } = opened.value
  return ok(closingStream(value, access.signal, close))
}

export async function openPodLog(
  streams: OpenStreams,
  kubernetes: Pick<Kubernetes, 'log'>,
  request: ClusterRequest,
  pod: Subdomain,
  query: LogQuery,
): Promise<Result<ReadableStream<Uint8Array>, AccessFailure | TooManyStreams | PodNotFound>> {
  const log = await openLog(streams, request, (access) => kubernetes.log(access, pod, query))
  const isMissing = !log.ok && log.error.kind === 'cluster_object_not_found'
  return isMissing ? err({ kind: 'pod_not_found' }) : log
}

/** Calls `onClose` at the end of the stream, at its failure, and when it is cancelled. An abort of the signal ends it normally. */
export function closingStream(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onClose: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          if (signal.aborted) controller.close()
          else controller.error(error)
        }
        onClose()
      },
      async cancel(reason) {
        onClose()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
