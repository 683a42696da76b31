import type { ClusterAccess, Kubernetes, Selection } from '../../../ports/clusters.ts'
import type { KubernetesPod } from '../../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../../result.ts'
import { lastEndingOf, podContainersOf } from '../containers.ts'
import { readRoot, type WorkloadFailure, type WorkloadName } from './family.ts'
import { controllerOf } from './workload.ts'

/** Facts of a pod whose logs are read. */
export type LogPod = ReturnType<typeof logPod>
export type LogContainer = LogPod['containers'][number]

/** The pods of a workload are those that it selects, as for kubectl. */
export async function findPods(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  named: WorkloadName,
): Promise<
  Result<
    { readonly selection: Selection; readonly isOwn: (pod: LogPod) => boolean },
    WorkloadFailure
  >
> {
  const found = await readRoot(kubernetes, access, named)
  if (!found.ok) return found
  const { root, selector } = found.value
  const { type } = named
  if (type === 'pod') {
    const selection = { labelSelector: null, name: named.name }
    return ok({ selection, isOwn: ({ uid }) => uid === root.uid })
  }
  if (type === 'cronjob') {
    // The controller names jobs by the minute that they were scheduled for.
    const prefix = `${root.name}-`
    const isOwn = ({ controller }: LogPod) =>
      controller?.kind === 'Job' &&
      controller.name.startsWith(prefix) &&
      /^\d+$/.test(controller.name.slice(prefix.length))
    return ok({ selection: { labelSelector: 'job-name' }, isOwn })
  }
  // No selector would select every pod of the namespace.
  const isOwn = ({ controller }: LogPod) => selector !== null || controller?.uid === root.uid
  return ok({ selection: { labelSelector: selector }, isOwn })
}

export function logPod(pod: KubernetesPod) {
  const { metadata, status = {} } = pod
  const ends = new Map(
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
      .flatMap(lastEndingOf)
      .map(({ container, terminated }) => [container, Date.parse(terminated.finishedAt ?? '')]),
  )
  return {
    uid: metadata.uid,
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    controller: controllerOf(metadata),
    containers: podContainersOf(pod).map(({ name, state, restarts }) => ({
      name,
      state,
      /** Counts its runs; `null` before the first. */
      run: state === 'running' || state === 'terminated' || restarts > 0 ? restarts : null,
      /** End of the run before, in milliseconds; `NaN` if unknown. */
      exitedAt: ends.get(name) ?? Number.NaN,
    })),
  }
}
