import type { Deployment, ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import { updateCondition } from './deployment-status.ts'
import { progressing } from './progress-condition.ts'
import {
  hasTemplateOf,
  newReplicaSet,
  replicaSetsOf,
  REVISION,
  revisionOf,
} from './replica-sets.ts'

export interface Rollout {
  readonly deployment: Deployment
  /** The replica set of the current template; undefined when the template changed while the deployment was paused. */
  readonly current: ReplicaSet | undefined
  /** Oldest revision first. */
  readonly old: readonly ReplicaSet[]
}

/** Makes the current template the newest revision, unless the deployment is paused. */
export function syncRevision(store: Store, deployment: Deployment, now: number): Rollout {
  const all = replicaSetsOf(store, deployment)
  const found = all.find((replicaSet) => hasTemplateOf(deployment, replicaSet))
  const newest = Math.max(0, ...all.map(revisionOf))
  const others = all.filter((replicaSet) => replicaSet !== found)
  if (deployment.spec.paused || (found !== undefined && revisionOf(found) === newest)) {
    return { deployment, current: found, old: others }
  }
  const revision = newest + 1
  if (found !== undefined) {
    const current = store.put('replicasets', withRevision(found, revision))
    return {
      deployment: store.put('deployments', withRevision(deployment, revision)),
      current,
      old: others,
    }
  }
  const current = store.put('replicasets', newReplicaSet(deployment, revision, now))
  const { name } = current.metadata
  const created = progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
  const conditions = updateCondition(deployment.status.conditions ?? [], created, now)
  const begun = { ...deployment, status: { ...deployment.status, conditions } }
  return {
    deployment: store.put('deployments', withRevision(begun, revision)),
    current,
    old: others,
  }
}

const withRevision = <Kind extends Deployment | ReplicaSet>(
  object: Kind,
  revision: number,
): Kind => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [REVISION]: String(revision) },
  },
})
