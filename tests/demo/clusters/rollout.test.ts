import { describe, expect, test } from 'bun:test'
import type { Behaviour } from '#src/demo/clusters/images.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import { deploymentRollout } from '#src/lib/domain/clusters/rollout-status.ts'
import {
  imagesThat,
  only,
  openSimulation,
  type OpenSimulation,
  restart,
  WEB,
} from './open-simulation.ts'

const IMAGE = 'ghcr.io/acme/web:1.0.0'

/** Pods of the old and the new template, ready and not: `3+0` or `2+1(1)` with the unready ones in brackets. */
function counted({ store, deployment }: OpenSimulation): string {
  const template = Bun.hash(JSON.stringify(deployment().spec.template.metadata?.annotations))
  const pods = store.list('Pod').filter(({ metadata }) => !metadata.deletionTimestamp)
  const isNew = (pod: (typeof pods)[number]) =>
    Bun.hash(JSON.stringify(pod.metadata.annotations)) === template
  const count = (some: typeof pods) => {
    const unready = some.filter((pod) => podStatus(pod).ready.ready === 0).length
    return `${some.length}${unready === 0 ? '' : `(${unready})`}`
  }
  return `${count(pods.filter((pod) => !isNew(pod)))}+${count(pods.filter(isNew))}`
}

/** What is seen of a rollout, from change to change. */
async function rolled(simulation: OpenSimulation, ms: number): Promise<readonly string[]> {
  const seen: string[] = []
  const look = () => {
    const now = counted(simulation)
    if (seen.at(-1) !== now) seen.push(now)
  }
  await simulation.patchBy(WEB, restart('a'))
  look()
  for (let passed = 0; passed < ms; passed += 100) {
    simulation.pass(100)
    look()
  }
  return seen
}

const conditionOf = ({ deployment }: OpenSimulation, type: string) =>
  deployment().status.conditions?.find((each) => each.type === type)

const badly = (behaviour: Behaviour) => imagesThat({ [IMAGE]: behaviour })

describe('a rollout', () => {
  test('replaces pod by pod, and an old one goes when a new one is ready', async () => {
    const simulation = openSimulation(only())
    expect(await rolled(simulation, 20_000)).toStrictEqual(['3+1(1)', '2+2(1)', '1+3(1)', '0+3'])
    expect(conditionOf(simulation, 'Progressing')).toMatchObject({
      status: 'True',
      reason: 'NewReplicaSetAvailable',
    })
    expect(deploymentRollout(simulation.deployment()).done).toBe(true)
    expect(
      simulation.store
        .list('ReplicaSet')
        .map(({ spec }) => String(spec.replicas))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toStrictEqual(['0', '3'])
  })

  test('waits while it is paused, and scales', async () => {
    const simulation = openSimulation(only())
    await simulation.patchBy(WEB, { spec: { paused: true, replicas: 4 } })
    expect((await rolled(simulation, 5_000)).at(-1)).toBe('4+0')
    expect(conditionOf(simulation, 'Progressing')?.reason).toBe('DeploymentPaused')
    await simulation.patchBy(WEB, { spec: { paused: null } })
    simulation.pass(20_000)
    expect(counted(simulation)).toBe('0+4')
  })
})

describe('a pod', () => {
  /** What kubectl would print of one new pod after each change, with its time. */
  async function lives(behaviour: Behaviour | undefined, ms: number, more = {}) {
    const rows = only({ replicas: 0, ...more })
    const simulation = openSimulation(rows, behaviour ? badly(behaviour) : imagesThat())
    const lines: string[] = []
    let began = 0
    simulation.store.watch(({ object, type }) => {
      if (object.kind !== 'Pod' || type === 'DELETED') return
      if (began === 0) began = Date.parse(object.metadata.creationTimestamp)
      const { ready, status, restarts } = podStatus(object)
      const line = `${status} ${ready.ready}/${ready.total} ${restarts}`
      if (lines.at(-1) !== line) lines.push(line)
    })
    await simulation.patchBy(WEB, { spec: { replicas: 1 } })
    simulation.pass(ms)
    return { ...simulation, lines }
  }

  test('starts', async () => {
    const { lines } = await lives(undefined, 10_000)
    expect(lines).toStrictEqual([
      'Pending 0/1 0',
      'ContainerCreating 0/1 0',
      'Running 0/1 0',
      'Running 1/1 0',
    ])
  })

  test('runs out of memory again and again', async () => {
    const behaviour = { does: 'run_out_of_memory', afterSteps: 5 } as const
    const { lines, store } = await lives(behaviour, 60_000)
    expect(lines.slice(3, 9)).toStrictEqual([
      'Running 1/1 0',
      'OOMKilled 0/1 0',
      'Running 0/1 1',
      'Running 1/1 1',
      'OOMKilled 0/1 1',
      'CrashLoopBackOff 0/1 1',
    ])
    const event = store.list('Event').find(({ reason }) => reason === 'BackOff')
    expect(event).toMatchObject({
      type: 'Warning',
      count: 3,
      involvedObject: { kind: 'Pod', fieldPath: 'spec.containers{web}' },
      source: { component: 'kubelet' },
    })
  })

  test('is forgotten with its events after an hour', async () => {
    const { store, pass } = await lives(undefined, 10_000)
    expect(store.list('Event').length).toBeGreaterThan(4)
    pass(3_900_000)
    expect(store.list('Event')).toStrictEqual([])
  })
})

describe('a cluster', () => {
  test('where nobody does anything does next to nothing', () => {
    const { store, pass } = openSimulation()
    pass(3_600_000)
    const before = store.version
    pass(3_600_000)
    expect(store.version - before).toBeLessThan(1_000)
  })
})
