import type { Subdomain } from '../../names.ts'
import type { Kubernetes, LogQuery } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AccessFailure, Asking, WithAccess } from './access.ts'
import type { OpenStreams, TooManyStreams } from './open-streams.ts'

export interface PodNotFound {
  readonly kind: 'pod_not_found'
}

export interface LogDeps {
  readonly withAccess: WithAccess
  readonly streams: OpenStreams
  readonly kubernetes: Pick<Kubernetes, 'log'>
}

/** Until the person's token or right ends, at the latest. It holds a place among the open streams until it is read or cancelled. */
export async function openLog(
  { withAccess, streams, kubernetes }: LogDeps,
  asked: Asking,
  pod: Subdomain,
  query: LogQuery,
): Promise<Result<ReadableStream<Uint8Array>, AccessFailure | TooManyStreams | PodNotFound>> {
  const opened = await streams.open(asked, (asking) =>
    withAccess(asking, async ({ cluster, signal, ...access }) => {
      const log = await kubernetes.log({ ...access, cluster, signal }, pod, query)
      return log.ok ? ok({ cluster, signal, value: log.value }) : log
    }),
  )
  if (opened.ok) {
    const { value, signal, end } = opened.value
    return ok(tellingEnd(value, signal, end))
  }
  const { error } = opened
  return error.kind === 'cluster_object_not_found' ? err({ kind: 'pod_not_found' }) : opened
}

/**
 * A stream that says when it is over: at its end, at its failure, or when its reader leaves. What ends by the signal ends as if
 * there were no more.
 */
export function tellingEnd(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onEnd: () => void,
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
        onEnd()
      },
      async cancel(reason) {
        onEnd()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
