import type { Pod } from '#src/demo/clusters/objects.ts'
import type { Workload } from '#src/demo/clusters/workloads/workload.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import { type Behaviours, only, openSimulation, WEB } from './open-simulation.ts'

/** Runs one new pod for `ms`. `statusLines` has what kubectl would print after each change, with its time. */
export async function live(
  workload: Partial<Omit<Workload, 'history'>>,
  behaviours: Behaviours,
  ms: number,
) {
  const simulation = openSimulation(only({ replicas: 0, ...workload }), behaviours)
  const { store, timeline, patch, pass } = simulation
  const statusLines: string[] = []
  let began = 0
  store.watch('pods', ({ type, object }) => {
    if (type === 'ADDED') began = timeline.now()
    const { ready, status, restarts } = podStatus(object)
    const line = `${status} ${ready.ready}/${ready.total} ${restarts}`
    if (statusLines.at(-1)?.replace(/^\S+ /, '') !== line)
      statusLines.push(`${Math.round(timeline.now() - began)} ${line}`)
  })
  await patch(WEB, { spec: { replicas: 1 } })
  pass(ms)
  const pod = (): Pod => {
    const [found] = store.list('pods')
    if (found === undefined) throw new Error('no pod')
    return found
  }
  const container = (name = 'web') =>
    [...(pod().status.initContainerStatuses ?? []), ...(pod().status.containerStatuses ?? [])].find(
      (status) => status.name === name,
    )
  const events = (of: string) =>
    store
      .list('events')
      .filter(({ involvedObject }) => involvedObject.fieldPath?.endsWith(`{${of}}`))
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ type, reason, count }) => `${type} ${reason} ${count}`)
  return { ...simulation, statusLines, pod, container, events }
}

export const image = (of: string) => `ghcr.io/acme/${of}:1.0.0`
