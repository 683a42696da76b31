import type { Behaviours } from './control/behaviour.ts'
import { createDeploymentController } from './control/deployment-controller.ts'
import { createEventRecorder } from './control/event-recorder.ts'
import { createKubelet } from './control/kubelet.ts'
import { createPlaces } from './control/nodes.ts'
import { startWorkQueue } from './control/work-queue.ts'
import { createStore, type Store } from './store.ts'
import { createTimeline, type DrivenTimeline } from './timeline.ts'
import { beginning, liveThePast } from './workloads/past.ts'
import type { NamespaceRow } from './workloads/workload.ts'

/** As fast as a small cluster with images at hand. */
const STEP_MS = 1_500

export interface SimulationOptions {
  readonly id: string
  readonly namespaces: readonly NamespaceRow[]
  readonly behaviours: Behaviours
  /** When the past ends. */
  readonly now: number
  /** How long a step of a pod's life takes from then on. */
  readonly stepMs?: number
  readonly onBug: (error: unknown) => void
}

export interface Simulation {
  readonly store: Store
  readonly timeline: DrivenTimeline
}

/** A cluster without its API: what it holds, and what goes on in it. It stands still until its timeline is driven. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { id, namespaces, behaviours, now, stepMs = STEP_MS, onBug } = options
  const timeline = createTimeline(beginning(now), onBug)
  const pace = { stepMs: STEP_MS }
  const stage = { timeline, pace }
  // Later than any version of a cluster that was started before this one.
  const store = createStore(Math.floor(now / 100))
  const events = createEventRecorder(store, timeline)
  const kubelet = createKubelet({ store, events, stage, behaviours, takePlace: createPlaces(id) })
  const controller = createDeploymentController({ store, events, kubelet, timeline })
  startWorkQueue(store, stage, controller)
  liveThePast({ store, kubelet, timeline }, namespaces, now)
  events.sweep()
  pace.stepMs = stepMs
  return { store, timeline }
}
