import type { Behaviours } from './control/behaviour.ts'
import { createDeploymentController } from './control/deployment-controller.ts'
import { createEventRecorder } from './control/event-recorder.ts'
import { createKubelet } from './control/kubelet.ts'
import { createScheduler } from './control/nodes.ts'
import { startWorkQueue } from './control/work-queue.ts'
import { createStore, type Store } from './store.ts'
import { createTimeline, type DrivenTimeline } from './timeline.ts'
import { foundingTime, replayHistory } from './workloads/history.ts'
import type { NamespaceRow } from './workloads/workload.ts'

/** About as fast as a small cluster with a registry nearby. */
const STEP_MS = 1_500

export interface SimulationOptions {
  readonly id: string
  readonly namespaces: readonly NamespaceRow[]
  readonly behaviours: Behaviours
  /** When the replayed history ends. */
  readonly now: number
  /** Length of a step of a pod's life after `now`. */
  readonly stepMs?: number
  readonly onBug: (error: unknown) => void
}

export interface Simulation {
  readonly store: Store
  readonly timeline: DrivenTimeline
}

/** A cluster without its API: its objects and controllers. Nothing happens until its timeline is driven. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { id, namespaces, behaviours, now, stepMs = STEP_MS, onBug } = options
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
    behaviours,
    placePod: createScheduler(id),
  })
  const controller = createDeploymentController({ store, events, kubelet, timeline })
  startWorkQueue(store, timing, controller)
  replayHistory({ store, kubelet, timeline }, namespaces, now)
  events.sweep()
  pace.stepMs = stepMs
  return { store, timeline }
}
