import type { ObjectKey, Store } from '../store.ts'
import type { createDeploymentController } from './deployment-controller.ts'
import { ownerOf } from './ownership.ts'
import type { ScriptTiming } from './script.ts'

/** Delays of a controller's reactions to changes of deployments and of pods. */
const OBSERVE_STEPS = 0.3
const REACT_STEPS = 0.1

const nameOf = ({ namespace = '', name }: ObjectKey) => `${namespace}/${name}`

/** Calls the controller for each deployment with changes, once for changes in quick succession. */
export function startWorkQueue(
  store: Store,
  { timeline, pace }: ScriptTiming,
  controller: ReturnType<typeof createDeploymentController>,
): void {
  const queued = new Set<string>()
  const pendingSyncs = new Map<string, () => void>()

  function enqueue(key: ObjectKey, steps: number): void {
    const name = nameOf(key)
    if (queued.has(name)) return
    queued.add(name)
    timeline.after(steps * pace.stepMs, () => {
      queued.delete(name)
      controller.sync(key)
      scheduleNextSync(key)
    })
  }

  function scheduleNextSync(key: ObjectKey): void {
    const name = nameOf(key)
    pendingSyncs.get(name)?.()
    const at = controller.nextSyncAt(key)
    if (at === undefined) return
    pendingSyncs.set(
      name,
      timeline.after(at - timeline.now(), () => enqueue(key, 0)),
    )
  }

  store.watch('deployments', ({ object }) => enqueue(object.metadata, OBSERVE_STEPS))
  store.watch('pods', ({ object }) => {
    const { namespace } = object.metadata
    const owner = ownerOf(object)
    const replicaSet = owner && store.get('replicasets', { namespace, name: owner.name })
    const deployment = replicaSet && ownerOf(replicaSet)
    if (deployment) enqueue({ namespace, name: deployment.name }, REACT_STEPS)
  })
}
