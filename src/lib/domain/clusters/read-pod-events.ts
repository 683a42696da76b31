import { withReadDeadline } from './all-pages.ts'
import type { Subdomain } from '../../names.ts'
import type { ClusterAccess, ClusterFailure, Collection, Kubernetes } from '../../ports/clusters.ts'
import type { KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../result.ts'
import { EVENTS_MAX, readEvents } from './event-pages.ts'
import { type PodEvent, podEvents } from './pod-event.ts'

/** Annotation of a static pod: its kubelet reports events with this uid instead of the pod's. */
const MIRROR = 'kubernetes.io/config.mirror'

/**
 * The events of the pod that now has this name, as `kubectl describe pod` finds them. For a pod that is gone those of its name, so
 * that people can read why it went.
 */
export async function readPodEvents(
  kubernetes: Pick<Kubernetes, 'events'> & {
    readonly pods: Pick<Collection<KubernetesPod>, 'read'>
  },
  access: ClusterAccess,
  name: Subdomain,
): Promise<Result<readonly PodEvent[], ClusterFailure>> {
  const signal = withReadDeadline(access.signal)
  const pod = await kubernetes.pods.read({ ...access, signal }, name)
  if (!pod.ok && pod.error.kind !== 'cluster_object_not_found') return pod
  const about = { kind: 'Pod', name, uid: pod.ok ? eventUidOf(pod.value) : null } as const
  const events = await readEvents(kubernetes, { ...access, signal }, about)
  if (!events.ok) return events
  return ok(podEvents(events.value).slice(-EVENTS_MAX))
}

const eventUidOf = ({ metadata }: KubernetesPod): string =>
  metadata.annotations?.[MIRROR] ?? metadata.uid
