import type { Label, Subdomain } from '../../../names.ts'
import type { ClusterFailure, Kubernetes, LogQuery } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { GrantedAccess } from '../access.ts'
import { createLogReader, type LogLine, logLines, type LogPosition } from './log-merge.ts'
import type { LogContainer } from './log-pods.ts'

/** A container whose log is read, once for each run. */
export interface LogSource {
  readonly pod: Subdomain
  readonly container: Label
  latest: LogContainer
  position: LogPosition | null
  /** The last run that was read to its end. */
  readRun: number
  isFollowed: boolean
  isGone: boolean
}

export type Outcome = Result<null, ClusterFailure>

export type Read = ReturnType<typeof createRead>

/** Reads on where the log of a container was read to. */
export const createRead =
  (kubernetes: Pick<Kubernetes, 'log'>, access: GrantedAccess) =>
  async (
    source: LogSource,
    {
      add,
      signal,
      ...query
    }: Pick<LogQuery, 'follow' | 'previous' | 'tailLines'> & {
      readonly add: (line: LogLine) => void
      readonly signal: AbortSignal
    },
  ): Promise<Outcome> => {
    const { pod, container, position } = source
    const log = await kubernetes.log({ ...access, signal }, pod, {
      ...query,
      container,
      timestamps: true,
      since: position === null ? null : `${position.at.slice(0, 19)}Z`,
    })
    if (!log.ok) return log
    const reader = createLogReader(position, `${pod}/${container}`)
    try {
      for await (const raw of logLines(log.value)) {
        const line = reader.read(raw)
        source.position = reader.position()
        if (line !== null) add(line)
      }
    } catch {
      return err({ kind: 'cluster_unreachable', reason: 'connection_reset' })
    }
    return ok(null)
  }

export const failureText = ({ pod, container }: LogSource, failure: ClusterFailure): string =>
  `${pod}/${container} cannot be read: ${'message' in failure ? failure.message : failure.kind}`

/** The pod has gone meanwhile, or the container has written nothing yet. */
export const isSilent = ({ kind }: ClusterFailure): boolean =>
  kind === 'cluster_object_not_found' || kind === 'cluster_invalid'
