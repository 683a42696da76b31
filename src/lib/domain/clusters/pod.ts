import type { KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { endingOf, imagesOf, lastEndingOf, latestOf, podContainersOf } from './containers.ts'
import { podStatus, type PodStatus } from './pod-status.ts'

export type PodView = ReturnType<typeof podView>

/** The members of a pod that answers show, and no others; `null` where Kubernetes has no value. */
export function podView(pod: KubernetesPod) {
  const { metadata, spec, status = {} } = pod
  const { decidedBy, ...printed } = podStatus(pod)
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    phase: status.phase ?? null,
    status: printed.status,
    statusMessage: messageOf(pod, decidedBy),
    ready: printed.ready,
    restarts: printed.restarts,
    lastRestartAt: printed.lastRestartAt,
    lastTermination: lastTerminationOf(pod),
    createdAt: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp ?? null,
    node: spec.nodeName || null,
    podIP: status.podIP || null,
    owner: ownerOf(pod),
    images: imagesOf(spec.containers),
    labels: metadata.labels ?? {},
    containers: podContainersOf(pod),
  }
}

/** Why the pod has its status, in Kubernetes' words. */
function messageOf({ status = {} }: KubernetesPod, decidedBy: PodStatus['decidedBy']) {
  const { waiting, terminated } = decidedBy?.state ?? {}
  const unscheduled = status.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status !== 'True',
  )
  return waiting?.message || terminated?.message || status.message || unscheduled?.message || null
}

/** A successful end of an init container is expected and not reported. */
function lastTerminationOf({ status = {} }: KubernetesPod) {
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

/** The controller of the pod. A deployment's replica set counts as the deployment. */
function ownerOf({ metadata }: KubernetesPod) {
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
