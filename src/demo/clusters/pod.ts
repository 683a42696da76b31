import type { Container, ContainerStatus, OwnerReference, Pod, PodTemplate } from './objects.ts'
import { hex, newMetadata, timestamp } from './objects.ts'
import type { Behaviour, Images } from './images.ts'

/** A pod follows from its creation and the time: nothing of its life is stored. */
export interface PlannedPod {
  readonly name: string
  readonly namespace: string
  readonly generateName: string
  readonly template: PodTemplate
  readonly owner: OwnerReference
  readonly createdAt: number
  /** When its deletion begins; `Infinity` for a pod that stays. */
  readonly deletedAt: number
}

/** The surroundings of pods. */
export interface World {
  readonly cluster: string
  readonly images: Pick<Images, 'builtAt' | 'behaviourOf'>
  /** Length of a step of a pod's life. Pulling the image takes about one, becoming ready another. */
  readonly stepMs: number
}

/** An event about a container, or about the whole pod. */
export interface PodNote {
  readonly at: number
  readonly container?: string
  readonly type?: 'Warning'
  readonly reason: string
  readonly message: string
}

/** One row of a container's timeline: what changes at a time. */
interface Phase {
  readonly at: number
  readonly set?: Partial<ContainerStatus>
  readonly notes?: readonly Pick<PodNote, 'type' | 'reason' | 'message'>[]
}

type Role = 'main' | 'job' | 'init' | 'sidecar'

/** Lengths in steps. */
const STEPS = { schedule: 0.2, sandbox: 0.3, pull: 0.8, ready: 1, probe: 200, end: 1 }
/** Back-offs are shortened: one step stands for this many seconds of them. */
const BACKOFF_SECONDS_PER_STEP = 1.5
const NODES = 3
const GRACE_SECONDS = 30

const BEHAVIOURS: Readonly<Record<Role, Behaviour>> = {
  main: { does: 'serve' },
  sidecar: { does: 'serve' },
  init: { does: 'finish', afterSteps: 1 },
  job: { does: 'finish', afterSteps: 90 },
}

/** A kubelet's back-off doubles with each failure. */
const backoffSeconds = (failures: number): number => Math.min(10 * 2 ** failures, 300)

/** `10s`, `2m40s`, as Go prints a duration. */
const goDuration = (seconds: number): string =>
  seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`

const waiting = (reason: string, message?: string): Partial<ContainerStatus> => ({
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
})

/**
 * The timeline of a container, endless where it fails again and again. Returns when the next container may start, `Infinity` for never.
 */
function* live(
  pod: PlannedPod,
  { name, image = '' }: Container,
  role: Role,
  from: number,
  { images, stepMs }: World,
): Generator<Phase, number> {
  const { uid } = newMetadata('Pod', pod.name, pod.namespace, pod.createdAt)
  const who = `${name} in pod ${pod.name}_${pod.namespace}(${uid})`
  const missing = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`
  const warning = (reason: string, message: string) =>
    ({ type: 'Warning', reason, message }) as const
  let at = from
  const pass = (steps: number) => {
    at += steps * stepMs
  }

  for (let failures = 0; ; failures++) {
    yield { at, notes: [{ reason: 'Pulling', message: `Pulling image "${image}"` }] }
    pass(STEPS.pull)
    if (images.builtAt(image) <= at) break
    const failed = warning('Failed', `Failed to pull image "${image}": ${missing}`)
    const notes = [failed, warning('Failed', 'Error: ErrImagePull')]
    yield { at, set: waiting('ErrImagePull', missing), notes }
    pass(1)
    const backOff = `Back-off pulling image "${image}"`
    yield {
      at,
      set: waiting('ImagePullBackOff', `${backOff}: ErrImagePull: ${missing}`),
      notes: [
        { reason: 'BackOff', message: backOff },
        warning('Failed', 'Error: ImagePullBackOff'),
      ],
    }
    pass(backoffSeconds(failures) / BACKOFF_SECONDS_PER_STEP)
  }

  const behaviour = images.behaviourOf(image) ?? BEHAVIOURS[role]
  let pulled = `Successfully pulled image "${image}" in 1.2s (1.2s including waiting). Image size: 48000144 bytes.`
  let lastState: ContainerStatus['state'] = {}
  for (let restartCount = 0; ; restartCount++) {
    const startedAt = timestamp(at)
    const containerID = `containerd://${hex(`${uid}/${name}/${restartCount}`)}`
    const [tagged = ''] = image.split('@')
    const imageID = `${tagged.replace(/:[^:/]*$/, '')}@sha256:${hex(tagged)}`
    yield {
      at,
      set: {
        state: { running: { startedAt } },
        lastState,
        started: true,
        restartCount,
        imageID,
        containerID,
      },
      notes: [
        { reason: 'Pulled', message: pulled },
        { reason: 'Created', message: `Created container: ${name}` },
        { reason: 'Started', message: `Started container ${name}` },
      ],
    }
    const terminated = (exitCode: number, reason: string) => ({
      terminated: { exitCode, reason, startedAt, finishedAt: timestamp(at), containerID },
    })
    switch (behaviour.does) {
      case 'serve':
      case 'linger':
        pass(STEPS.ready)
        yield { at, set: { ready: true } }
        return role === 'init' ? Infinity : at
      case 'fail_probe':
        for (;;) {
          pass(STEPS.ready)
          const message = 'Readiness probe failed: HTTP probe failed with statuscode: 503'
          yield { at, notes: [warning('Unhealthy', message)] }
          pass(STEPS.probe)
        }
      case 'finish':
        pass(behaviour.afterSteps)
        yield {
          at,
          set: { state: terminated(0, 'Completed'), ready: role === 'init', started: false },
        }
        return at
      case 'run_out_of_memory': {
        pass(STEPS.ready)
        yield { at, set: { ready: true } }
        pass(behaviour.afterSteps)
        lastState = terminated(137, 'OOMKilled')
        yield { at, set: { state: lastState, ready: false, started: false } }
        pass(1)
        pulled = `Container image "${image}" already present on machine`
        // A kubelet does not delay the first restart.
        if (restartCount === 0) break
        const seconds = backoffSeconds(restartCount - 1)
        const message = `back-off ${goDuration(seconds)} restarting failed container=${who.replace(' in pod ', ' pod=')}`
        yield {
          at,
          set: { ...waiting('CrashLoopBackOff', message), lastState },
          notes: [warning('BackOff', `Back-off restarting failed container ${who}`)],
        }
        pass(seconds / BACKOFF_SECONDS_PER_STEP)
      }
    }
  }
}

const scheduledAt = ({ createdAt }: PlannedPod, { stepMs }: World): number =>
  createdAt + STEPS.schedule * stepMs

const containersOf = ({ template }: PlannedPod) => {
  const { containers = [], initContainers = [], restartPolicy } = template.spec ?? {}
  const main: Role = restartPolicy === 'Never' ? 'job' : 'main'
  return {
    inits: initContainers.map((container) => ({
      container,
      role: container.restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    mains: containers.map((container) => ({ container, role: main })),
  }
}

/** When all containers of a pod are ready for the first time, `Infinity` for never. */
export function readyAt(pod: PlannedPod, world: World): number {
  const { inits, mains } = containersOf(pod)
  const isStuck = [...inits, ...mains].some(
    ({ container: { image = '' }, role }) =>
      world.images.builtAt(image) === Infinity ||
      world.images.behaviourOf(image)?.does === 'fail_probe' ||
      (role === 'init' && world.images.behaviourOf(image)?.does === 'serve'),
  )
  if (isStuck) return Infinity
  let at = scheduledAt(pod, world) + STEPS.sandbox * world.stepMs
  const ready = (container: Container, role: Role) =>
    live(pod, container, role, at, world).find(({ set }) => set?.ready === true)?.at ?? Infinity
  for (const { container, role } of inits) at = ready(container, role)
  return Math.max(...mains.map(({ container, role }) => ready(container, role)))
}

/** When a pod is no more: at once without a node, late when its containers ignore SIGTERM. */
export function goneAt(pod: PlannedPod, world: World): number {
  const { deletedAt, template } = pod
  if (deletedAt < scheduledAt(pod, world)) return deletedAt
  const { containers = [], terminationGracePeriodSeconds = GRACE_SECONDS } = template.spec ?? {}
  const lingers = containers.some(
    ({ image = '' }) => world.images.behaviourOf(image)?.does === 'linger',
  )
  return deletedAt + (lingers ? terminationGracePeriodSeconds * 1_000 : STEPS.end * world.stepMs)
}

export interface PodState {
  readonly object: Pod
  readonly notes: readonly PodNote[]
  readonly isReady: boolean
  /** When it became ready or unready. */
  readonly changedAt: number
  /** When the object changes next by itself. */
  readonly next: number
}

/** The pod at a time after its creation and before its end. */
export function podAt(pod: PlannedPod, now: number, world: World): PodState {
  const { name, namespace, generateName, template, owner, createdAt, deletedAt } = pod
  const { labels, annotations } = template.metadata ?? {}
  const begins = scheduledAt(pod, world)
  const isDeleted = deletedAt <= now
  const grace =
    deletedAt < begins ? 0 : (template.spec?.terminationGracePeriodSeconds ?? GRACE_SECONDS)
  const metadata = {
    ...newMetadata('Pod', name, namespace, createdAt),
    generateName,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ownerReferences: [owner],
    ...(isDeleted && {
      deletionTimestamp: timestamp(deletedAt + grace * 1_000),
      deletionGracePeriodSeconds: grace,
    }),
  }
  const spec = template.spec ?? { containers: [] }
  const pending = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as const
  const end = isDeleted ? goneAt(pod, world) : deletedAt
  if (Math.min(now, deletedAt) < begins) {
    const object: Pod = { ...pending, status: { phase: 'Pending' } }
    return { object, notes: [], isReady: false, changedAt: createdAt, next: Math.min(begins, end) }
  }

  const until = Math.min(now, deletedAt)
  const { inits, mains } = containersOf(pod)
  const created = inits.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const lives = new Map(
    [...inits, ...mains].map(({ container: { name, image = '' } }) => [
      name,
      { status: firstStatus(name, image, created), changedAt: begins },
    ]),
  )
  const node = Number.parseInt(hex(metadata.uid).slice(0, 4), 16) % NODES
  const nodeName = `${world.cluster}-worker-${node + 1}`
  const notes: PodNote[] = [
    {
      at: begins,
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
    },
  ]
  let next = end
  /** Plays a container until `until`. Returns when the next one may start, `Infinity` if that is later. */
  function play({ container, role }: { container: Container; role: Role }, from: number): number {
    const phases = live(pod, container, role, from, world)
    for (;;) {
      const { done, value } = phases.next()
      if (done) return value
      if (value.at > until) {
        if (!isDeleted) next = Math.min(next, value.at)
        return Infinity
      }
      const before = lives.get(container.name)
      if (before === undefined) return Infinity
      const status = { ...before.status, ...value.set }
      const hasTurned = status.ready !== before.status.ready
      lives.set(container.name, {
        status,
        changedAt: hasTurned ? value.at : before.changedAt,
      })
      for (const note of value.notes ?? [])
        notes.push({ ...note, at: value.at, container: container.name })
    }
  }
  let at = begins + STEPS.sandbox * world.stepMs
  let initialized = begins
  for (const init of inits) {
    if (at === Infinity) break
    at = play(init, at)
    initialized = at
  }
  if (at !== Infinity) for (const main of mains) play(main, at)
  const all = [...lives.values()]
  if (isDeleted) {
    for (const { status } of all)
      if (status.state?.running)
        notes.push({
          at: deletedAt,
          container: status.name,
          reason: 'Killing',
          message: `Stopping container ${status.name}`,
        })
  }

  const statusesOf = (containers: typeof inits | typeof mains) =>
    containers.flatMap(({ container }) => lives.get(container.name)?.status ?? [])
  const counted = [...inits.filter(({ role }) => role === 'sidecar'), ...mains].flatMap(
    ({ container }) => lives.get(container.name) ?? [],
  )
  const unready = counted.filter(({ status }) => !status.ready)
  const incomplete = inits.flatMap(({ container, role }) => {
    const status = lives.get(container.name)?.status
    const isDone = role === 'sidecar' ? status?.started : status?.state?.terminated
    return isDone ? [] : [container.name]
  })
  const phase = phaseOf(statusesOf(mains), incomplete.length > 0, spec.restartPolicy === 'Never')
  const isOver = phase === 'Succeeded'
  const isReady = unready.length === 0
  const turns = (isReady ? counted : unready).map(({ changedAt }) => changedAt)
  const changedAt = isReady ? Math.max(...turns) : Math.min(...turns)
  const condition = (type: string, at: number, isTrue: boolean, reason = '', message = '') => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(at),
    ...(reason !== '' && { reason }),
    ...(message !== '' && { message }),
  })
  const names = unready.map(({ status }) => status.name).join(' ')
  const [why, text] = isOver
    ? ['PodCompleted']
    : isReady
      ? []
      : ['ContainersNotReady', `containers with unready status: [${names}]`]
  const initText = `containers with incomplete status: [${incomplete.join(' ')}]`
  const address = Number.parseInt(hex(metadata.uid).slice(4, 10), 16)
  const podIP = `10.42.${node * 64 + (address % 64)}.${2 + ((address >> 6) % 252)}`
  const hostIP = `10.20.${node}.11`
  return {
    notes,
    isReady,
    changedAt,
    next,
    object: {
      ...pending,
      spec: { ...spec, nodeName },
      status: {
        phase,
        hostIP,
        hostIPs: [{ ip: hostIP }],
        podIP,
        podIPs: [{ ip: podIP }],
        startTime: timestamp(begins),
        qosClass: 'Burstable',
        conditions: [
          condition('PodReadyToStartContainers', isOver ? changedAt : begins, !isOver),
          incomplete.length > 0
            ? condition('Initialized', begins, false, 'ContainersNotInitialized', initText)
            : condition('Initialized', initialized, true, isOver ? 'PodCompleted' : ''),
          condition('Ready', changedAt, isReady, why, text),
          condition('ContainersReady', changedAt, isReady, why, text),
          condition('PodScheduled', begins, true),
        ],
        ...(inits.length > 0 && { initContainerStatuses: statusesOf(inits) }),
        containerStatuses: statusesOf(mains),
      },
    },
  }
}

const firstStatus = (name: string, image: string, reason: string): ContainerStatus => ({
  name,
  image,
  imageID: '',
  lastState: {},
  ready: false,
  restartCount: 0,
  started: false,
  state: { waiting: { reason } },
})

/** A container in back-off has run before: only one that never started keeps a pod pending. */
function phaseOf(mains: readonly ContainerStatus[], isInitializing: boolean, isJob: boolean) {
  const isPending = mains.some(
    ({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined,
  )
  if (isPending || isInitializing) return 'Pending'
  return isJob && mains.every(({ state }) => state?.terminated) ? 'Succeeded' : 'Running'
}
