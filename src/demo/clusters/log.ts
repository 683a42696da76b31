import { ok } from '../../lib/result.ts'
import type { ApiServer } from './api-server-parts.ts'
import { linesOf, type ContainerRun, type LogLine } from './log-lines.ts'
import type { ContainerStatus, Pod } from './objects.ts'
import { badRequest, type Outcome } from './refusal.ts'

const FOLLOW_MS = 1_000
const CONTENT_TYPE = 'text/plain'

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

/** Answers with the log of a container. With `follow` new lines are streamed until the run ends. */
export function answerLog(
  { cluster, clock, streams }: Pick<ApiServer, 'cluster' | 'clock' | 'streams'>,
  pod: Pod,
  query: URLSearchParams,
  signal: AbortSignal,
): Outcome<Response> {
  const container = containerOf(pod, query.get('container') ?? '')
  if (!container.ok) return container
  const run = findRun(pod, container.value, query.get('previous') === 'true')
  if (!run.ok) return run
  const now = clock.now()
  const print = (lines: readonly LogLine[]) =>
    lines
      .map(({ at, text }) => `${query.has('timestamps') ? `${nanoseconds(at)} ` : ''}${text}\n`)
      .join('')
  const seconds = Number(query.get('sinceSeconds') ?? 0)
  // Lines of the very millisecond are wanted too.
  const since = Date.parse(query.get('sinceTime') ?? '') - 1 || 0
  const lines = linesOf(
    run.value,
    seconds > 0 ? now - seconds * 1_000 : since,
    run.value.endedAt ?? now,
  )
  const tail = query.get('tailLines') ?? ''
  if (!/^\d*$/.test(tail)) return badRequest(`tailLines: ${tail} is no number of lines`)
  const text = print(tail === '' ? lines : lines.slice(Math.max(lines.length - Number(tail), 0)))
  const isFollowed = query.get('follow') === 'true' && run.value.endedAt === undefined
  if (!isFollowed) return ok(new Response(text, { headers: { 'content-type': CONTENT_TYPE } }))

  const { name, namespace, uid } = pod.metadata
  return streams.open(CONTENT_TYPE, signal, ({ write, end }) => {
    if (text !== '') write(text)
    let printedUntil = now
    const timer = setInterval(() => {
      const found = cluster.store.get('Pod', namespace, name)
      const isThere = found?.kind === 'Pod' && found.metadata.uid === uid
      const latest = isThere ? currentRun(found, container.value, run.value) : undefined
      const until = latest?.endedAt ?? clock.now()
      const more = print(linesOf(latest ?? run.value, printedUntil, until))
      if (more !== '') write(more)
      printedUntil = until
      if (latest === undefined || latest.endedAt !== undefined) end()
    }, FOLLOW_MS)
    return () => clearInterval(timer)
  })
}

const nanoseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000000Z')

function containerOf({ metadata: { name }, spec }: Pod, asked: string): Outcome<string> {
  const mains = spec.containers.map((container) => container.name)
  const inits = (spec.initContainers ?? []).map((container) => container.name)
  const container = asked || mains[0] || ''
  return [...mains, ...inits].includes(container)
    ? ok(container)
    : badRequest(`container ${container} is not valid for pod ${name}`)
}

const statusesOf = ({ status }: Pod) => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
]

const runOf = (pod: Pod, { image }: ContainerStatus, id = '', startedAt: string | null = '') => ({
  image,
  isJob: pod.spec.restartPolicy === 'Never',
  id,
  startedAt: Date.parse(startedAt ?? ''),
  endedAt: undefined,
})

const ended = (pod: Pod, status: ContainerStatus, end: Terminated): ContainerRun => ({
  ...runOf(pod, status, end.containerID, end.startedAt),
  endedAt: Date.parse(end.finishedAt ?? ''),
})

/** The run that a log request is about, or the kubelet's refusal. */
function findRun(pod: Pod, container: string, previous: boolean): Outcome<ContainerRun> {
  const subject = `container "${container}" in pod "${pod.metadata.name}"`
  const status = statusesOf(pod).find(({ name }) => name === container)
  if (status === undefined) return badRequest(`${subject} is not available`)
  const { state = {}, lastState = {} } = status
  if (!previous && state.running) {
    return ok(runOf(pod, status, status.containerID, state.running.startedAt))
  }
  const last = previous ? lastState.terminated : (state.terminated ?? lastState.terminated)
  if (last) return ok(ended(pod, status, last))
  if (previous) return badRequest(`previous terminated ${subject} not found`)
  const reason = state.waiting?.reason ?? ''
  return badRequest(`${subject} is waiting to start: ${WAITING[reason] ?? reason}`)
}

const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/** The present state of a run; `undefined` when its container is no more. */
function currentRun(pod: Pod, container: string, run: ContainerRun): ContainerRun | undefined {
  const status = statusesOf(pod).find(({ name }) => name === container)
  if (status === undefined) return undefined
  if (status.state?.running && status.containerID === run.id) return run
  const ends = [status.state?.terminated, status.lastState?.terminated]
  const own = ends.find((end) => end?.containerID === run.id)
  return own ? ended(pod, status, own) : undefined
}
