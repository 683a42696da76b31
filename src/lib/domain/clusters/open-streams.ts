import type { Cluster } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { recheck, RECHECK_EVERY_MS } from '../access/sessions/recheck.ts'
import type { Sessions } from '../access/sessions/sessions.ts'
import type { Fair } from '../../concurrency/fair.ts'
import { keyOf } from '../limits/person-key.ts'
import type { AccessFailure, ClusterRequest, GrantedAccess, WithAccess } from './access.ts'

export interface TooManyStreams {
  readonly kind: 'too_many_streams'
}

export interface OpenStreamsOptions {
  readonly withAccess: WithAccess
  readonly sessions: Pick<Sessions, 'watch'>
  /** One for each open stream. */
  readonly streamSlots: Pick<Fair, 'take'>
  /** Whether the person may still see the cluster. */
  readonly mayContinue: (request: ClusterRequest, cluster: Cluster) => Promise<boolean>
  /** Receives exceptions of `mayContinue`; the stream goes on. */
  readonly onBug: (request: ClusterRequest, bug: unknown) => void
  readonly recheckEveryMs?: number
}

export interface OpenStream<Value> {
  readonly value: Value
  readonly access: GrantedAccess
  /** Releases the stream's slot. May be called more than once; called when `access.signal` aborts. */
  readonly close: () => void
}

export type OpenStreams = ReturnType<typeof createOpenStreams>

/** Limits open streams: each holds a connection to an API server, and a right that may be withdrawn. */
export function createOpenStreams({
  withAccess,
  sessions,
  streamSlots,
  mayContinue,
  onBug,
  recheckEveryMs = RECHECK_EVERY_MS,
}: OpenStreamsOptions) {
  return {
    /**
     * Opens a stream that ends when the person loses the right to it. Takes a slot before `act` starts; it is released
     * when the stream cannot be opened, is closed, or ends.
     */
    async open<Value, Failure extends { readonly kind: string }>(
      request: ClusterRequest,
      act: (access: GrantedAccess) => Promise<Result<Value, Failure>>,
    ): Promise<Result<OpenStream<Value>, Failure | AccessFailure | TooManyStreams>> {
      const release = streamSlots.take(keyOf(request.session.principal))
      if (release === undefined) return err({ kind: 'too_many_streams' })
      const revoked = new AbortController()
      const signal = AbortSignal.any([request.signal, revoked.signal])
      const unwatch = sessions.watch(request.session, () => revoked.abort())
      let stream: OpenStream<Value> | undefined
      try {
        const opened = await withAccess({ ...request, signal }, async (access) => {
          const outcome = await act(access)
          return outcome.ok ? ok({ value: outcome.value, access }) : outcome
        })
        if (!opened.ok) return opened
        const { access, value } = opened.value
        const stopChecking = recheck({
          everyMs: recheckEveryMs,
          isHeld: () => mayContinue(request, access.cluster),
          onLost: () => revoked.abort(),
          onBug: (bug) => onBug(request, bug),
        })
        const close = callOnAbort(access.signal, () => {
          stopChecking()
          unwatch()
          release()
        })
        stream = { value, access, close }
        return ok(stream)
      } finally {
        if (stream === undefined) {
          unwatch()
          release()
        }
      }
    },
  }
}

/** Calls `action` on abort. The returned function calls it earlier and removes the listener: the signal may outlive the stream by hours. */
function callOnAbort(signal: AbortSignal, action: () => void): () => void {
  const call = () => {
    signal.removeEventListener('abort', call)
    action()
  }
  signal.addEventListener('abort', call)
  if (signal.aborted) call()
  return call
}
