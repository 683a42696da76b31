import type { Pod } from '../../api/live/events.ts'
import type { IconName } from '../../ui/icons.ts'
import type { Tone, Word } from '../../ui/words.ts'

type PodState = Pick<Pod, 'status' | 'ready'>

/** Statuses of a pod that is on its way, and reasons of its containers to wait. */
const STARTING = new Set(['Pending', 'ContainerCreating', 'PodInitializing', 'SchedulingGated'])
const INIT_PROGRESS = /^Init:\d+\/\d+$/
/** No trouble, and no work. */
const OVER = new Set(['Completed', 'Succeeded', 'Terminating'])

/** The word is the column STATUS of `kubectl get pods`; every status that is not known to be good is a problem. */
export function podWord({ status, ready }: PodState): Word {
  const word = (tone: Tone, icon: IconName): Word => ({ tone, icon, label: status })
  if (status === 'Running') {
    return ready.ready === ready.total ? word('ok', 'check') : word('warn', 'clock')
  }
  if (OVER.has(status)) return word('idle', 'circle')
  if (STARTING.has(status) || INIT_PROGRESS.test(status)) return word('info', 'arrows')
  return status === 'NotReady' ? word('warn', 'clock') : word('bad', 'cross')
}

const RANKS: Readonly<Record<Tone, number>> = {
  bad: 0,
  warn: 1,
  info: 2,
  ok: 3,
  accent: 3,
  idle: 4,
}

export const isTrouble = (pod: PodState): boolean => RANKS[podWord(pod).tone] <= RANKS.warn

/** Problems first, then by name: a pod keeps its place while its status stays. */
export function podsInOrder<Of extends PodState & Pick<Pod, 'name'>>(
  pods: readonly Of[],
): readonly Of[] {
  const rank = (pod: Of) => RANKS[podWord(pod).tone]
  return pods.toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
}

type Searched = Pick<Pod, 'name' | 'status' | 'node' | 'images'> & {
  readonly lastTermination: { readonly reason: string | null } | null
}

/** Every word has to be found in the name, the status, the node, an image or the reason of the last end. */
export function podMatches(pod: Searched, search: string): boolean {
  if (search === '') return true
  const { name, status, node, images, lastTermination } = pod
  return hasWords(search, [name, status, node, lastTermination?.reason, ...images])
}

export function hasWords(search: string, texts: readonly unknown[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The state of a pod in a sentence. */
export function podSentence(pod: PodState & Pick<Pod, 'node'>): string {
  const { status, ready, node } = pod
  const advice = ADVICE[status.replace(/^Init:/, '')]
  if (advice !== undefined) return advice
  if (status === 'Running' && ready.ready === ready.total) return 'It runs, and is ready.'
  if (status === 'Running' || status === 'NotReady') {
    return `${ready.ready} of ${ready.total} containers ${ready.ready === 1 ? 'is' : 'are'} ready.`
  }
  if (status === 'Completed' || status === 'Succeeded') return 'It has done its work, and ended.'
  if (status === 'Terminating') return 'It is being stopped.'
  if (INIT_PROGRESS.test(status)) return 'It waits for its init containers.'
  if (status === 'Pending' && node === null) return 'It waits for a node that has room.'
  if (STARTING.has(status)) return 'Its containers are being started.'
  return 'Its containers and events say more.'
}

/** The cluster's own words, unless the message of a container has them. */
export function clusterWords(
  pod: Pick<Pod, 'statusMessage'> & {
    readonly containers: readonly { readonly message: string | null }[]
  },
): string | null {
  const { statusMessage, containers } = pod
  const isShown = containers.some(({ message }) => message === statusMessage)
  return statusMessage === '' || isShown ? null : statusMessage
}

/** Reasons of Kubernetes, explained. */
const ADVICE: Readonly<Record<string, string>> = {
  OOMKilled: 'It used more memory than its limit.',
  CrashLoopBackOff: 'A container ends again and again; Kubernetes waits before the next start.',
  ImagePullBackOff: 'The image cannot be pulled; Kubernetes tries again.',
  ErrImagePull: 'The image cannot be pulled.',
  InvalidImageName: 'The name of the image is not valid.',
  CreateContainerConfigError: 'A Secret or ConfigMap that a container needs is missing.',
  Error: 'A container ended with an error.',
  Evicted: 'The node ran out of a resource and stopped the pod.',
  DeadlineExceeded: 'It ran longer than it may.',
  Unknown: 'Its node does not answer.',
}

/**
 * Pods that may have taken the place of one that is gone: those of the owner whose name it begins with, or began with by its own
 * account.
 */
export function siblingsOf<Of extends Pick<Pod, 'name' | 'owner'>>(
  pods: readonly Of[],
  name: string,
  owner: Pod['owner'],
): readonly Of[] {
  const owners = pods.flatMap((pod) => (pod.owner === null ? [] : [pod.owner.name]))
  const [likely] = owners
    .filter((each) => name.startsWith(`${each}-`))
    .toSorted((one, other) => other.length - one.length)
  const wanted = owner?.name ?? likely
  if (wanted === undefined) return []
  return pods.filter((pod) => pod.name !== name && pod.owner?.name === wanted)
}

type Container = Pod['containers'][number]

/** State and reason of a container, in Kubernetes' words. */
export function containerWord({ state, reason, ready, init, sidecar }: Container): Word {
  if (state === 'running') {
    // An init container that runs is at work, and is never ready.
    if (ready || (init && !sidecar)) return { tone: 'ok', icon: 'check', label: 'Running' }
    return { tone: 'warn', icon: 'clock', label: 'Running, not ready' }
  }
  if (state === 'terminated') {
    if (reason === 'Completed') return { tone: 'idle', icon: 'circle', label: 'Completed' }
    return { tone: 'bad', icon: 'cross', label: reason ?? 'Terminated' }
  }
  if (state === null || reason === null || STARTING.has(reason)) {
    return { tone: 'info', icon: 'arrows', label: reason ?? 'Waiting' }
  }
  return { tone: 'bad', icon: 'cross', label: reason }
}

/** The cluster's words for the state, or the meaning of its reason. */
export const containerNote = ({ message, reason }: Container): string | null =>
  message ?? (reason === null ? null : (ADVICE[reason] ?? null))
