import type {
  ClusterAccess,
  ClusterFailure,
  EventSubject,
  Kubernetes,
} from '../../ports/clusters.ts'
import type { KubernetesEvent } from '../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../result.ts'
import { readAllPages } from './all-pages.ts'

/** Events of one request to the API server. */
const PAGE_EVENTS = 500
const PAGES_MAX = 50
/** Events of one answer, the newest. Clusters keep events for about an hour and count repetitions. */
export const EVENTS_MAX = 5_000

/** The events about an object, or all of the namespace. */
export async function readEvents(
  kubernetes: Pick<Kubernetes, 'events'>,
  access: ClusterAccess,
  about: EventSubject | null,
): Promise<Result<readonly KubernetesEvent[], ClusterFailure>> {
  const events = await readAllPages(PAGES_MAX, (after) =>
    kubernetes.events(access, about, { limit: PAGE_EVENTS, after }),
  )
  return events.ok ? ok(events.value.items) : events
}
