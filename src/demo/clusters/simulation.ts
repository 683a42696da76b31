import type { BehaviourOf } from './control/behaviour.ts'
import { createDeploymentController } from './control/deployment-controller.ts'
import { createEventRecorder } from './control/event-recorder.ts'
import { createKubelet } from './control/kubelet.ts'
import { createScheduler } from './control/nodes.ts'
import { podsOf } from './control/ownership.ts'
import { replicaSetsOf } from './control/replica-sets.ts'
import { startWorkQueue } from './control/work-queue.ts'
import { createStore, type ObjectKey, type Store } from './store.ts'
import { createTimeline, type DrivenTimeline } from './timeline.ts'
import { foundingTime, replayHistory } from './workloads/history.ts'
import type { NamespaceRow } from './workloads/workload.ts'

/** About as fast as a small cluster with a registry nearby. */
const STEP_MS = 1_500

export interface SimulationOptions {
  readonly id: string
  readonly namespaces: readonly NamespaceRow[]
  readonly behaviourOf: BehaviourOf
  /** When the replayed history ends. */
  readonly now: number
  /** Length of a step of a pod's life after `now`. */
  readonly stepMs?: number
  readonly onBug: (error: unknown) => void
}

export interface Simulation {
  readonly store: Store
  readonly timeline: DrivenTimeline
  /** Removes a deployment with its replica sets and pods. */
  readonly remove: (deployment: ObjectKey) => void
}

/** A cluster without its API: its objects and controllers. Nothing happens until its timeline is driven. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { id, namespaces, behaviourOf, now, stepMs = STEP_MS, onBug } = options
  const timeline = createTimeline(foundingTime(now), onBug)
  const pace = { stepMs: STEP_MS }
  const timing = { timeline, pace }
  // Higher than the versions of an earlier start, so that a watch that outlives a restart expires.
  const store = createStore(Math.floor(now / 100))
  const events = createEventRecorder(store, timeline)
  const kubelet = createKubelet({
    store,
    events,
    timing,
    behaviourOf,
    placePod: createScheduler(id),
  })
  const controller = createDeploymentController({ store, events, kubelet, timeline })
  startWorkQueue(store, timing, controller)
  replayHistory({ store, kubelet, timeline }, namespaces, now)
  events.sweep()
  pace.stepMs = stepMs
  return {
    store,
    timeline,
    remove(key) {
      const deployment = store.get('deployments', key)
      if (deployment === undefined) return
      store.remove('deployments', key)
      for (const replicaSet of replicaSetsOf(store, deployment)) {
        for (const pod of podsOf(store, replicaSet)) kubelet.stop(pod)
        store.remove('replicasets', replicaSet.metadata)
      }
    },
  }
}
