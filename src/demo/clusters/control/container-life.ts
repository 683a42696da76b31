import type { Behaviour } from './behaviour.ts'
import {
  backoffSeconds,
  crashLoop,
  pullError,
  restarted,
  running,
  terminated,
} from './container-states.ts'
import { hex } from './hash.ts'
import type { PodHost } from './pod-host.ts'
import { isInit } from './pod-status.ts'
import type { Script } from './script.ts'

const PULL_STEPS = 0.8
const READY_STEPS = 1
const PROBE_STEPS = 200
/** Back-offs are shortened: one step stands for this many seconds of them. */
const BACKOFF_SECONDS_PER_STEP = 1.5

const OUT_OF_MEMORY = { exitCode: 137, reason: 'OOMKilled' }
const COMPLETED = { exitCode: 0, reason: 'Completed' }

export interface ContainerPlan {
  readonly name: string
  readonly image: string
  /** At the time of the call. */
  readonly behaviour: () => Behaviour
}

/** The life of a container from the pull of its image on. The script ends when nothing more happens by itself. */
export function* liveContainer(host: PodHost, plan: ContainerPlan): Script {
  const behaviour = yield* pull(host, plan)
  start(host, plan)
  switch (behaviour.does) {
    case 'serve':
    case 'linger':
      yield* becomeReady(host, plan)
      return
    case 'finish':
      yield behaviour.afterSteps
      return host.change(plan.name, (_, status, now) => ({
        ...terminated(status, COMPLETED, now),
        ...(isInit(host.read(), plan.name) && { ready: true }),
      }))
    case 'fail_probe':
      return yield* failProbe(host, plan)
    case 'run_out_of_memory':
      return yield* crashAgainAndAgain(host, plan, behaviour.afterSteps)
  }
}

type Pulled = Exclude<Behaviour, { does: 'fail_to_pull' }>

/** Pulls the image until it is there. Returns the behaviour of its containers. */
function* pull(
  host: PodHost,
  { name, image, behaviour }: ContainerPlan,
): Generator<number, Pulled, undefined> {
  for (let failures = 0; ; failures++) {
    host.note({ reason: 'Pulling', message: `Pulling image "${image}"` }, name)
    yield PULL_STEPS
    const found = behaviour()
    if (found.does !== 'fail_to_pull') {
      notePulled(host, name, image)
      return found
    }
    yield* failToPull(host, name, image, failures)
  }
}

function notePulled(host: PodHost, name: string, image: string): void {
  const digest = hex(image)
  const megabytes = 24 + (Number.parseInt(digest.slice(0, 2), 16) % 96)
  const took = `${(megabytes / 40).toFixed(3)}s`
  host.note(
    {
      reason: 'Pulled',
      message: `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${megabytes * 1_000_003} bytes.`,
    },
    name,
  )
}

/** One failure and the back-off after it. */
function* failToPull(host: PodHost, name: string, image: string, failures: number): Script {
  const wait = (reason: string, message: string) =>
    host.change(name, () => ({ state: { waiting: { reason, message } } }))
  const warn = (reason: string, message: string) =>
    host.note({ type: 'Warning', reason, message }, name)
  const reason = pullError(image)
  wait('ErrImagePull', reason)
  warn('Failed', `Failed to pull image "${image}": ${reason}`)
  warn('Failed', 'Error: ErrImagePull')
  yield 1
  wait('ImagePullBackOff', `Back-off pulling image "${image}": ErrImagePull: ${reason}`)
  host.note({ reason: 'BackOff', message: `Back-off pulling image "${image}"` }, name)
  warn('Failed', 'Error: ImagePullBackOff')
  yield backoffSeconds(failures) / BACKOFF_SECONDS_PER_STEP
}

function start(host: PodHost, { name }: ContainerPlan, run = running): void {
  host.note({ reason: 'Created', message: `Created container: ${name}` }, name)
  host.change(name, run)
  host.note({ reason: 'Started', message: `Started container ${name}` }, name)
}

function* becomeReady(host: PodHost, { name }: ContainerPlan): Script {
  yield READY_STEPS
  host.change(name, () => ({ ready: true }))
}

function* failProbe(host: PodHost, { name }: ContainerPlan): Script {
  const message = 'Readiness probe failed: HTTP probe failed with statuscode: 503'
  for (;;) {
    yield READY_STEPS
    host.note({ type: 'Warning', reason: 'Unhealthy', message }, name)
    yield PROBE_STEPS
  }
}

function* crashAgainAndAgain(host: PodHost, plan: ContainerPlan, afterSteps: number): Script {
  const { name } = plan
  const { name: pod, namespace, uid } = host.read().metadata
  const message = `Back-off restarting failed container ${name} in pod ${pod}_${namespace}(${uid})`
  for (let restarts = 0; ; restarts++) {
    yield* becomeReady(host, plan)
    yield afterSteps
    host.change(name, (_, status, now) => terminated(status, OUT_OF_MEMORY, now))
    yield 1
    // A kubelet does not delay the first restart.
    if (restarts > 0) {
      const seconds = backoffSeconds(restarts - 1)
      host.change(name, (pod, status) => crashLoop(pod, status, seconds))
      host.note({ type: 'Warning', reason: 'BackOff', message }, name)
      yield seconds / BACKOFF_SECONDS_PER_STEP
    }
    host.note(
      { reason: 'Pulled', message: `Container image "${plan.image}" already present on machine` },
      name,
    )
    start(host, plan, restarted)
  }
}
