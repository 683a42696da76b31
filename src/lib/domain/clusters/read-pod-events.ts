import type { Subdomain } from '../../names.ts'
import type { ClusterAccess, ClusterFailure, Kubernetes } from '../../ports/clusters.ts'
import type { KubernetesEvent, KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../result.ts'
import { type PodEvent, podEvents } from './pod-event.ts'

/** Events of one request to the API server. */
const PAGE_EVENTS = 500
/** Events of one answer, the newest. Clusters keep events for about an hour and count repetitions. */
const EVENTS_MAX = 5_000
const PAGES_MAX = 50
const EVENTS_MS = 10_000
/** Annotation of a static pod: its kubelet reports events with this uid instead of the pod's. */
const MIRROR = 'kubernetes.io/config.mirror'

/**
 * The events of the pod that now has this name, as `kubectl describe pod` finds them. For a pod that is gone those of its name, so
 * that people can read why it went.
 */
export async function readPodEvents(
  kubernetes: Pick<Kubernetes, 'events'> & { readonly pods: Pick<Kubernetes['pods'], 'read'> },
  access: ClusterAccess,
  name: Subdomain,
): Promise<Result<readonly PodEvent[], ClusterFailure>> {
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(EVENTS_MS)])
  const pod = await kubernetes.pods.read({ ...access, signal }, name)
  if (!pod.ok && pod.error.kind !== 'cluster_object_not_found') return pod
  const about = { name, uid: pod.ok ? eventUidOf(pod.value) : null }
  const events: KubernetesEvent[] = []
  let after: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await kubernetes.events({ ...access, signal }, about, {
      limit: PAGE_EVENTS,
      after,
    })
    if (!page.ok) return page
    events.push(...page.value.items)
    after = page.value.next
    if (after === null) break
  }
  return ok(podEvents(events).slice(-EVENTS_MAX))
}

const eventUidOf = ({ metadata }: KubernetesPod): string =>
  metadata.annotations?.[MIRROR] ?? metadata.uid
