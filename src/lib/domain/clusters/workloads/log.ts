import { setTimeout as sleep } from 'node:timers/promises'
import type { Fair } from '../../../concurrency/fair.ts'
import { Label, Subdomain } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterFailure, Kubernetes, LogQuery } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { keyOf } from '../../limits/person-key.ts'
import type { AccessFailure, ClusterRequest, GrantedAccess } from '../access.ts'
import { type FeedEvents, follow } from '../follow.ts'
import type { OpenStreams, TooManyStreams } from '../open-streams.ts'
import { type ResourceName, RESOURCES } from '../resources.ts'
import type { DetailFailure } from './detail.ts'
import {
  createLogMerge,
  createLogReader,
  type LogLine,
  logLines,
  type LogPosition,
} from './log-merge.ts'
import { findPods, type LogContainer, logPod, type LogPod } from './log-pods.ts'

export interface WorkloadLogQuery {
  /** `null` for all. */
  readonly container: Label | null
  readonly follow: boolean
  /** Of all containers together. */
  readonly tailLines: number
}

export interface WorkloadLogSource {
  readonly kubernetes: Pick<Kubernetes, 'objects' | 'log'>
  readonly clock: Clock
  readonly streams: OpenStreams
  /** One for each container that is followed. */
  readonly streamSlots: Pick<Fair, 'take'>
  /** Limit of the containers that one log follows. */
  readonly followedMax: number
}

/** Pods that one log reads from the start, the newest first. */
const PODS_MAX = 100
const PAGE_ITEMS = 100
/** Of a container that comes while the log is followed. */
const LATER_LINES_MAX = 10_000
/** Unsent text; the same again may be read before the oldest goes. */
const UNSENT_MAX_BYTES = 8 * 1024 * 1024
const READS_AT_ONCE = 8
const READ_MS = 15_000
/** A run that ended so recently may tell why there is a new one. */
const RECENT_EXIT_MS = 10 * 60_000
/** Lines of this time are put in order together. */
const MERGE_MS = 250
/** Before a log that has ended is asked for again. */
const AGAIN_MS = 1_000
const AGAIN_AFTER_FAILURE_MS = 10_000

/** A container whose log is read, once for each run. */
interface LogSource {
  readonly pod: Subdomain
  readonly container: Label
  latest: LogContainer
  position: LogPosition | null
  /** The last run that was read to its end. */
  readRun: number
  isFollowed: boolean
  isGone: boolean
}

/**
 * The logs of all pods and containers of a workload by time, one line `<time> <pod>/<container> <text>` each. Lines about the log
 * itself have `-` in place of the pod. Holds a slot among the open streams, and one more for each container that is followed.
 */
export async function openWorkloadLog(
  given: WorkloadLogSource,
  request: ClusterRequest,
  named: { readonly type: ResourceName; readonly name: Subdomain },
  query: WorkloadLogQuery,
): Promise<Result<ReadableStream<Uint8Array>, AccessFailure | TooManyStreams | DetailFailure>> {
  const reader = new AbortController()
  const opened = await given.streams.open(request, (granted) => {
    const signal = AbortSignal.any([granted.signal, reader.signal])
    return beginLog(given, { ...granted, signal }, keyOf(request.session.principal), named, query)
  })
  if (!opened.ok) return opened
  const { value: next, close } = opened.value
  const end = () => {
    reader.abort()
    close()
  }
  const encoder = new TextEncoder()
  return ok(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await next()
          if (text !== null) return controller.enqueue(encoder.encode(text))
          controller.close()
          end()
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    ),
  )
}

type Outcome = Result<null, ClusterFailure>

async function beginLog(
  { kubernetes, clock, streamSlots, followedMax }: WorkloadLogSource,
  access: GrantedAccess,
  person: string,
  { type, name }: { readonly type: ResourceName; readonly name: Subdomain },
  { container: only, follow: isFollowing, tailLines }: WorkloadLogQuery,
) {
  const { signal } = access
  const found = await findPods(kubernetes, access, type, name)
  if (!found.ok) return found
  const { labelSelector, isOwn } = found.value
  const collection = kubernetes.objects(RESOURCES.pod)
  const feed = follow<LogPod>({
    labelSelector,
    signal,
    list: (after) => collection.list(access, { limit: PAGE_ITEMS, after, labelSelector }, logPod),
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
      const source = sources.get(key) ?? newSource(podName, container, latest)
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
    now: clock.now(),
    signal,
  })
  if (!history.ok) return history
  const output = createOutput(clock, signal, history.value.lines)
  for (const text of history.value.notes) output.note(text)
  if (newest.length > PODS_MAX) {
    output.note(`${newest.length - PODS_MAX} older pods of ${newest.length} are not read`)
  }
  if (!isFollowing) {
    void feed.return(null)
    output.end()
    return ok(() => output.next())
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
  return ok(() => output.next())
}

const newSource = (pod: Subdomain, container: Label, latest: LogContainer): LogSource => ({
  pod,
  container,
  latest,
  position: null,
  readRun: -1,
  isFollowed: false,
  isGone: false,
})

type Read = ReturnType<typeof createRead>

/** Reads on where the log of a container was read to. */
const createRead =
  (kubernetes: WorkloadLogSource['kubernetes'], access: GrantedAccess) =>
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

type Output = ReturnType<typeof createOutput>

/** Text for the client, as it asks for it. */
function createOutput(clock: Clock, signal: AbortSignal, history: readonly LogLine[]) {
  const merge = createLogMerge({ linesMax: Infinity, bytesMax: UNSENT_MAX_BYTES })
  let past = textOf(history)
  let arrival = Promise.withResolvers<void>()
  let isOver = false
  const wake = () => arrival.resolve()
  signal.addEventListener('abort', wake, { once: true })
  function add(line: LogLine): void {
    merge.add(line)
    wake()
  }
  return {
    add,
    note: (text: string) => add(noteAt(clock.now(), text)),
    end(): void {
      isOver = true
      wake()
    },
    /** What came since; `null` at the end. */
    async next(): Promise<string | null> {
      const text = past
      past = ''
      if (text !== '') return text
      for (;;) {
        if (merge.isEmpty() && !isOver && !signal.aborted) await arrival.promise
        if (!isOver) await pause(MERGE_MS, signal)
        arrival = Promise.withResolvers()
        // A slow reader must not get what was read before the right ended.
        if (signal.aborted) return null
        const isLast = isOver
        const { lines, dropped } = merge.take()
        const gap = dropped === 0 ? [] : [noteAt(clock.now(), `${dropped} lines were dropped`)]
        if (lines.length > 0) return textOf([...gap, ...lines])
        if (isLast) return null
      }
    },
  }
}

interface FollowedOptions {
  readonly sources: Map<string, LogSource>
  readonly read: Read
  readonly output: Output
  readonly signal: AbortSignal
  readonly tailLines: number
  /** A slot for one more than are open; `undefined` when there is none. */
  readonly take: (open: number) => (() => void) | undefined
}

/** Follows each run of each source, while there are slots. */
function createFollowed({ sources, read, output, signal, tailLines, take }: FollowedOptions) {
  let open = 0
  let told = 0
  let isFirst = true

  const isDue = ({ isFollowed, isGone, latest, readRun }: LogSource): boolean =>
    !isFollowed && !isGone && (latest.run ?? -1) > readRun

  function begin(source: LogSource): void {
    const release = take(open)
    if (release === undefined) return
    open += 1
    source.isFollowed = true
    void followRuns(source, isFirst ? tailLines : LATER_LINES_MAX).finally(() => {
      open -= 1
      source.isFollowed = false
      release()
      if (!signal.aborted) update()
    })
  }

  async function followRuns(source: LogSource, tailLines: number): Promise<void> {
    while (!signal.aborted) {
      const { run } = source.latest
      const outcome = await read(source, {
        follow: true,
        previous: false,
        tailLines: source.position === null ? tailLines : null,
        add: (line) => output.add(line),
        signal,
      })
      if (signal.aborted) return
      if (!outcome.ok && outcome.error.kind === 'cluster_object_not_found') {
        // A new list, after changes were missed, does not tell of it.
        source.isGone = true
        return
      }
      if (!outcome.ok && !isSilent(outcome.error)) output.note(failureText(source, outcome.error))
      await pause(outcome.ok ? AGAIN_MS : AGAIN_AFTER_FAILURE_MS, signal)
      const { latest } = source
      if (source.isGone || run === null || latest.run === null) return
      if (latest.run === run && latest.state === 'running') continue
      source.readRun = run
      if (latest.run === run) return
    }
  }

  function update(): void {
    for (const [key, source] of sources) {
      if (source.isGone && !source.isFollowed) sources.delete(key)
      else if (isDue(source)) begin(source)
    }
    isFirst = false
    const left = [...sources.values()].filter(isDue).length
    if (left > told) output.note(`${left} containers are not followed: too many streams`)
    told = left
  }

  return { update }
}

const textOf = (lines: readonly { readonly text: string }[]): string =>
  lines.map(({ text }) => `${text}\n`).join('')

function noteAt(now: number, text: string) {
  const at = new Date(now).toISOString().replace('Z', '000000Z')
  return { at, text: `${at} - ${text}` }
}

const failureText = ({ pod, container }: LogSource, failure: ClusterFailure): string =>
  `${pod}/${container} cannot be read: ${'message' in failure ? failure.message : failure.kind}`

const isRefusal = ({ kind }: ClusterFailure): boolean =>
  kind === 'cluster_forbidden' || kind === 'cluster_unauthorized'

/** The pod has gone meanwhile, or the container has written nothing yet. */
const isSilent = ({ kind }: ClusterFailure): boolean =>
  kind === 'cluster_object_not_found' || kind === 'cluster_invalid'

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

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
