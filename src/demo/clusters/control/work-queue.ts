import type { ObjectKey, Store } from '../store.ts'
import type { createDeploymentController } from './deployment-controller.ts'
import { ownerOf } from './ownership.ts'
import type { Stage } from './script.ts'

/** A controller sees a change a moment after it was made. */
const OBSERVE_STEPS = 0.3
const REACT_STEPS = 0.1

const nameOf = ({ namespace = '', name }: ObjectKey) => `${namespace}/${name}`

/** Has the controller look at each deployment that something changed for, once however much changed. */
export function startWorkQueue(
  store: Store,
  { timeline, pace }: Stage,
  controller: ReturnType<typeof createDeploymentController>,
): void {
  const queued = new Set<string>()
  const wakes = new Map<string, () => void>()

  function enqueue(key: ObjectKey, steps: number): void {
    const name = nameOf(key)
    if (queued.has(name)) return
    queued.add(name)
    timeline.after(steps * pace.stepMs, () => {
      queued.delete(name)
      controller.sync(key)
      wakeLater(key)
    })
  }

  function wakeLater(key: ObjectKey): void {
    const name = nameOf(key)
    wakes.get(name)?.()
    const at = controller.nextLook(key)
    if (at === undefined) return
    wakes.set(
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
