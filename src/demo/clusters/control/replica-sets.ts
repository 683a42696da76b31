import { type Deployment, newMetadata, type PodTemplate, type ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import { templateHash } from './hash.ts'
import { isOwnedBy, referenceTo } from './ownership.ts'
import { rolloutLimits } from './rollout-plan.ts'

/** A deployment has a replica set for each template it ever had. */

const HASH_LABEL = 'pod-template-hash'
export const REVISION = 'deployment.kubernetes.io/revision'
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAX = 'deployment.kubernetes.io/max-replicas'
/** Default of `revisionHistoryLimit`. */
const HISTORY = 10

export const revisionOf = ({ metadata }: ReplicaSet): number =>
  Number(metadata.annotations?.[REVISION] ?? 0)

/** Oldest revision first. */
export const replicaSetsOf = (store: Store, deployment: Deployment): ReplicaSet[] =>
  store
    .list('replicasets')
    .filter((replicaSet) => isOwnedBy(replicaSet, deployment))
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))

function withoutHash({ metadata, spec }: PodTemplate): unknown {
  const labels = Object.entries(metadata?.labels ?? {}).filter(([name]) => name !== HASH_LABEL)
  return { ...metadata, labels: Object.fromEntries(labels), spec }
}

export const hasTemplateOf = (deployment: Deployment, replicaSet: ReplicaSet): boolean =>
  Bun.deepEquals(withoutHash(deployment.spec.template), withoutHash(replicaSet.spec.template))

export function newReplicaSet(deployment: Deployment, revision: number, now: number): ReplicaSet {
  const { metadata, spec } = deployment
  const hash = templateHash(withoutHash(spec.template))
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...newMetadata(`${metadata.name}-${hash}`, metadata.namespace, now),
      labels,
      annotations: { ...scaleAnnotations(deployment), [REVISION]: String(revision) },
      ownerReferences: [referenceTo(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
    status: { replicas: 0 },
  }
}

const scaleAnnotations = (deployment: Deployment) => ({
  [DESIRED]: String(deployment.spec.replicas),
  [MAX]: String(deployment.spec.replicas + rolloutLimits(deployment).maxSurge),
})

export function scaled(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  replicas: number,
): ReplicaSet {
  const { metadata, spec } = replicaSet
  return {
    ...replicaSet,
    metadata: {
      ...metadata,
      generation: metadata.generation + 1,
      annotations: { ...metadata.annotations, ...scaleAnnotations(deployment) },
    },
    spec: { ...spec, replicas },
  }
}

/** Empty old replica sets beyond the revision history limit. */
export function surplusReplicaSets(
  deployment: Deployment,
  old: readonly ReplicaSet[],
): readonly ReplicaSet[] {
  const empty = old.filter(({ spec, status }) => spec.replicas === 0 && status.replicas === 0)
  const excess = old.length - (deployment.spec.revisionHistoryLimit ?? HISTORY)
  return empty.slice(0, Math.max(excess, 0))
}
