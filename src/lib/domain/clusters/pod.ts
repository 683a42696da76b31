import type { KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { endingOf, lastEndingOf, latestOf } from './container-state.ts'
import { imagesOf, type PodContainer, podContainersOf } from './pod-container.ts'
import { podStatus, type PodStatus } from './pod-status.ts'

/** What an answer says of a pod: these members and no others, `null` where Kubernetes says nothing. */
export interface PodView {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly phase: string | null
  readonly status: string
  /** Why `status` is what it is, in Kubernetes' words. */
  readonly statusMessage: string | null
  readonly ready: PodStatus['ready']
  readonly restarts: number
  readonly lastRestartAt: string | null
  readonly lastTermination: Termination | null
  readonly createdAt: string
  readonly deletionTimestamp: string | null
  readonly node: string | null
  readonly podIP: string | null
  readonly owner: { readonly kind: string; readonly name: string } | null
  readonly images: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly containers: readonly PodContainer[]
}

export interface Termination {
  readonly container: string
  readonly reason: string | null
  readonly exitCode: number
  readonly finishedAt: string | null
}

export function podView(object: KubernetesPod): PodView {
  const { metadata, spec, status = {} } = object
  const { decidedBy, ...printed } = podStatus(object)
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    phase: status.phase ?? null,
    status: printed.status,
    statusMessage: messageOf(object, decidedBy),
    ready: printed.ready,
    restarts: printed.restarts,
    lastRestartAt: printed.lastRestartAt,
    lastTermination: lastTerminationOf(object),
    createdAt: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp ?? null,
    node: spec.nodeName || null,
    podIP: status.podIP || null,
    owner: ownerOf(object),
    images: imagesOf(spec.containers),
    labels: metadata.labels ?? {},
    containers: podContainersOf(object),
  }
}

function messageOf(
  { status = {} }: KubernetesPod,
  decidedBy: PodStatus['decidedBy'],
): string | null {
  const { waiting, terminated } = decidedBy?.state ?? {}
  const unscheduled = status.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status !== 'True',
  )
  return waiting?.message || terminated?.message || status.message || unscheduled?.message || null
}

/** An init container that ended well did what it is for: that is not news. */
function lastTerminationOf({ status = {} }: KubernetesPod): Termination | null {
  const { initContainerStatuses = [], containerStatuses = [] } = status
  const latest = latestOf([
    ...initContainerStatuses.flatMap((each) => [
      ...endingOf(each).filter(({ terminated }) => terminated.exitCode),
      ...lastEndingOf(each),
    ]),
    ...containerStatuses.flatMap((each) => [...endingOf(each), ...lastEndingOf(each)]),
  ])
  if (latest === undefined) return null
  const { reason, exitCode = 0, finishedAt = null } = latest.terminated
  return { container: latest.container, reason: reason || null, exitCode, finishedAt }
}

/** The controller; in place of a deployment's replica set, the deployment. */
function ownerOf({ metadata }: KubernetesPod): PodView['owner'] {
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true)
  if (controller === undefined) return null
  const { kind, name } = controller
  const suffix = `-${metadata.labels?.['pod-template-hash'] ?? ''}`
  const isOfDeployment =
    kind === 'ReplicaSet' && suffix !== '-' && name.length > suffix.length && name.endsWith(suffix)
  return isOfDeployment
    ? { kind: 'Deployment', name: name.slice(0, -suffix.length) }
    : { kind, name }
}
