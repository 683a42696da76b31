import type { Fair } from '../../../concurrency/fair.ts'
import { Label, Subdomain } from '../../../names.ts'
import type { ClusterFailure, Kubernetes } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { keyOf } from '../../limits/person-key.ts'
import type { AccessFailure, ClusterRequest, GrantedAccess } from '../access.ts'
import { type FeedEvents, follow } from '../follow.ts'
import { openLog } from '../log-stream.ts'
import type { OpenStreams, TooManyStreams } from '../open-streams.ts'
import { RESOURCES } from '../resources.ts'
import type { WorkloadFailure, WorkloadName } from './family.ts'
import { createFollowed } from './log-followed.ts'
import { createLogMerge, type LogLine } from './log-merge.ts'
import { createOutput, UNSENT_MAX_BYTES } from './log-output.ts'
import { findPods, logPod, type LogPod } from './log-pods.ts'
import {
  createRead,
  failureText,
  isSilent,
  type LogSource,
  type Outcome,
  type Read,
} from './log-source.ts'

export interface WorkloadLogQuery {
  /** `null` for all. */
  readonly container: Label | null
  readonly follow: boolean
  /** Lines of all containers together. */
  readonly tailLines: number
}

export interface WorkloadLogSource {
  readonly kubernetes: Pick<Kubernetes, 'objects' | 'log'>
  readonly streams: OpenStreams
  /** One for each container that is followed. */
  readonly streamSlots: Pick<Fair, 'take'>
  /** Limit of the containers that one log follows. */
  readonly followedMax: number
}

/** Pods that one log reads from the start, the newest first. */
const PODS_MAX = 100
const PAGE_ITEMS = 100
const READS_AT_ONCE = 8
const READ_MS = 15_000
/** A run that ended so recently may tell why there is a new one. */
const RECENT_EXIT_MS = 10 * 60_000

/**
 * The logs of all pods and containers of a workload by time, one line `<time> <pod>/<container> <text>` each. Lines about the log
 * itself have `-` in place of the pod. Holds a slot among the open streams, and one more for each container that is followed.
 */
export const openWorkloadLog = (
  source: WorkloadLogSource,
  request: ClusterRequest,
  named: WorkloadName,
  query: WorkloadLogQuery,
): Promise<Result<ReadableStream<Uint8Array>, AccessFailure | TooManyStreams | WorkloadFailure>> =>
  openLog(source.streams, request, (access) =>
    beginLog(source, access, keyOf(request.session.principal), named, query),
  )

async function beginLog(
  { kubernetes, streamSlots, followedMax }: WorkloadLogSource,
  granted: GrantedAccess,
  person: string,
  named: WorkloadName,
  { container: only, follow: isFollowing, tailLines }: WorkloadLogQuery,
) {
  const over = new AbortController()
  const signal = AbortSignal.any([granted.signal, over.signal])
  const access = { ...granted, signal }
  const found = await findPods(kubernetes, access, named)
  if (!found.ok) return found
  const { selection, isOwn } = found.value
  const collection = kubernetes.objects(RESOURCES.pod)
  const feed = follow<LogPod>({
    ...selection,
    signal,
    list: (after) => collection.list(access, { limit: PAGE_ITEMS, after, ...selection }, logPod),
    watch: (from) => collection.watch(access, from, logPod),
  })
  const listed = await firstList(feed)
  if (!listed.ok) return listed

  const sources = new Map<string, LogSource>()
  function sourcesOf(pod: LogPod): readonly LogSource[] {
    const [podName, isRead] = [Subdomain.parse(pod.name), isOwn(pod)]
    if (podName === undefined || !isRead) return []
    return pod.containers.flatMap((latest) => {
      const container = Label.parse(latest.name)
      if (container === undefined || (only !== null && only !== container)) return []
      const key = `${pod.uid}/${container}`
      const source: LogSource = sources.get(key) ?? {
        pod: podName,
        container,
        latest,
        position: null,
        readRun: -1,
        isFollowed: false,
        isGone: false,
      }
      sources.set(key, source)
      source.latest = latest
      return source
    })
  }

  const newest = listed.value
    .filter(isOwn)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
  const read = createRead(kubernetes, access)
  const history = await readHistory(read, newest.slice(0, PODS_MAX).flatMap(sourcesOf), {
    tailLines,
    now: access.now(),
    signal,
  })
  if (!history.ok) return history
  const output = createOutput(access, history.value.lines, () => over.abort())
  for (const text of history.value.notes) output.note(text)
  if (newest.length > PODS_MAX) {
    output.note(`${newest.length - PODS_MAX} older pods of ${newest.length} are not read`)
  }
  if (!isFollowing) {
    void feed.return(null)
    output.end()
    return ok(output.stream)
  }
  const followed = createFollowed({
    sources,
    read,
    output,
    signal,
    tailLines,
    take: (open) => (open < followedMax ? streamSlots.take(person) : undefined),
  })
  async function watchPods(): Promise<void> {
    followed.update()
    for await (const event of feed) {
      const pods = event.kind === 'snapshot' ? event.items : [event.item]
      for (const source of pods.flatMap(sourcesOf)) source.isGone = event.kind === 'removed'
      followed.update()
    }
  }
  void watchPods().finally(() => output.end())
  return ok(output.stream)
}

/** The last lines of all sources, and why some could not be read. A refusal of one is a refusal of all. */
async function readHistory(
  read: Read,
  sources: readonly LogSource[],
  given: { readonly tailLines: number; readonly now: number; readonly signal: AbortSignal },
): Promise<
  Result<{ readonly lines: readonly LogLine[]; readonly notes: readonly string[] }, ClusterFailure>
> {
  const { tailLines, now } = given
  const merge = createLogMerge({ linesMax: tailLines, bytesMax: UNSENT_MAX_BYTES })
  const notes: string[] = []
  let refusal: ClusterFailure | undefined

  async function readOne(source: LogSource): Promise<Outcome> {
    const { run, state, exitedAt } = source.latest
    if (run === null) return ok(null)
    const signal = AbortSignal.any([given.signal, AbortSignal.timeout(READ_MS)])
    const query = { follow: false, tailLines, add: (line: LogLine) => merge.add(line), signal }
    // The log of a container that waits for its next run is that of the run before.
    if (state !== 'waiting' && now - exitedAt <= RECENT_EXIT_MS) {
      const before = await read(source, { ...query, previous: true })
      if (!before.ok && isRefusal(before.error)) return before
    }
    if (state !== 'running') source.readRun = run
    return await read(source, { ...query, previous: false })
  }

  const queue = sources.values()
  async function work(): Promise<void> {
    for (const source of queue) {
      if (refusal !== undefined) return
      const outcome = await readOne(source)
      if (outcome.ok || isSilent(outcome.error)) continue
      if (isRefusal(outcome.error)) refusal = outcome.error
      else notes.push(failureText(source, outcome.error))
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work))
  return refusal === undefined ? ok({ lines: merge.take().lines, notes }) : err(refusal)
}

const isRefusal = ({ kind }: ClusterFailure): boolean =>
  kind === 'cluster_forbidden' || kind === 'cluster_unauthorized'

async function firstList(
  feed: FeedEvents<LogPod>,
): Promise<Result<readonly LogPod[], ClusterFailure>> {
  const pods: LogPod[] = []
  for (;;) {
    const { done, value } = await feed.next()
    if (done === true) return value === null ? ok(pods) : err(value)
    if (value.kind !== 'snapshot') continue
    pods.push(...value.items)
    if (value.last) return ok(pods)
  }
}
