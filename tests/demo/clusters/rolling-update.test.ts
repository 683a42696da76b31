import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { only, openSimulation, restart, STEP_MS, WEB } from './open-simulation.ts'
import { isComplete, isGoing, isReady, names, said, staying } from './rollout-facts.ts'

const share = fc.oneof(
  fc.nat(4),
  fc.nat(100).map((percent) => `${percent}%`),
)
const resolve = (given: number | string, replicas: number, round: (n: number) => number) =>
  typeof given === 'number' ? given : round((Number.parseInt(given, 10) * replicas) / 100)

describe('a rolling update', () => {
  test('keeps its promises whatever comes in between, and is complete in the end', async () => {
    const scenario = fc.record({
      replicas: fc.integer({ min: 1, max: 8 }),
      maxSurge: share,
      maxUnavailable: share,
      pauses: fc.array(fc.integer({ min: 100, max: 12_000 }), { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ replicas, maxSurge, maxUnavailable, pauses }) => {
        const surge = resolve(maxSurge, replicas, Math.ceil)
        const wished = Math.min(resolve(maxUnavailable, replicas, Math.floor), replicas)
        const unavailable = surge === 0 && wished === 0 ? 1 : wished
        const simulation = openSimulation(only({ replicas }))
        await simulation.patch(WEB, {
          spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
        })
        const before = names(simulation)
        simulation.store.watch('pods', () => {
          const pods = staying(simulation)
          expect(pods.length).toBeLessThanOrEqual(replicas + surge)
          expect(pods.filter(isReady).length).toBeGreaterThanOrEqual(replicas - unavailable)
        })

        for (const [index, pause] of pauses.entries()) {
          await simulation.patch(WEB, restart(`2026-11-20T09:00:0${index}Z`))
          simulation.pass(pause)
        }
        simulation.pass(120_000)

        expect(isComplete(simulation.deployment())).toBe(true)
        expect(names(simulation)).toHaveLength(replicas)
        expect(names(simulation).filter((name) => before.includes(name))).toStrictEqual([])
        expect(simulation.store.list('pods').filter(isGoing)).toStrictEqual([])
        expect(said(simulation, 'Progressing')).toStartWith(
          'True NewReplicaSetAvailable: ReplicaSet "web-',
        )
      }),
      { numRuns: 60 },
    )
  })

  test('is what the deployment controller of Kubernetes says at every step', async () => {
    const simulation = openSimulation(only({ replicas: 1 }))
    const { deployment, patch, pass, store } = simulation
    const steps: string[] = []
    store.watch('deployments', ({ object: { metadata, status } }) => {
      const {
        observedGeneration: seen,
        updatedReplicas = 0,
        replicas = 0,
        readyReplicas = 0,
      } = status
      const counts = `${updatedReplicas}/${replicas}/${readyReplicas}`
      steps.push(
        `${seen}<=${metadata.generation} ${counts} ${said(simulation, 'Progressing')?.split(' ')[1]}`,
      )
    })
    expect((await patch(WEB, restart('2026-11-20T09:00:00Z'))).status).toBe(200)
    expect(deployment()).toMatchObject({
      metadata: { generation: 2 },
      status: { observedGeneration: 1 },
    })
    pass(60_000)
    expect(steps).toStrictEqual([
      '1<=2 1/1/1 NewReplicaSetAvailable:',
      '1<=2 1/1/1 NewReplicaSetCreated:',
      '2<=2 0/1/1 NewReplicaSetCreated:',
      '2<=2 1/2/1 ReplicaSetUpdated:',
      '2<=2 1/2/2 ReplicaSetUpdated:',
      '2<=2 1/1/1 NewReplicaSetAvailable:',
    ])
    const [name] = names(simulation)
    const set = store.list('replicasets').find(({ spec }) => spec.replicas === 1)
    expect(name).toMatch(new RegExp(`^${set?.metadata.name}-[b-z2-9]{5}$`))
    expect(set?.metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '2' })
    expect(deployment().metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '2',
    })
  })

  test('makes pods that belong to a replica set, which belongs to the deployment', async () => {
    const { store, deployment } = openSimulation(only({ replicas: 1 }))
    const [pod] = store.list('pods')
    const [set] = store.list('replicasets')
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '?'
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      ownerReferences: [
        { kind: 'Deployment', name: 'web', uid: deployment().metadata.uid, controller: true },
      ],
    })
    expect(pod?.metadata).toMatchObject({
      generateName: `web-${hash}-`,
      labels: { 'app.kubernetes.io/name': 'web', 'pod-template-hash': hash },
      ownerReferences: [
        { kind: 'ReplicaSet', name: `web-${hash}`, uid: set?.metadata.uid, controller: true },
      ],
    })
  })

  test('has replica sets that say what they should have and what they have', async () => {
    const { store, patch, pass } = openSimulation(only({ replicas: 2 }))
    const read = () => {
      const [first, ...rest] = store
        .list('replicasets')
        .toSorted((a, b) => b.spec.replicas - a.spec.replicas)
      if (first === undefined || rest.length > 0) throw new Error('one replica set is expected')
      return first
    }
    const { metadata, spec, status } = read()
    expect(spec.replicas).toBe(2)
    expect(status).toStrictEqual({
      observedGeneration: metadata.generation,
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    })
    await patch(WEB, { spec: { replicas: 0 } })
    pass(30_000)
    expect(read()).toMatchObject({
      metadata: {
        generation: metadata.generation + 1,
        annotations: {
          'deployment.kubernetes.io/desired-replicas': '0',
          'deployment.kubernetes.io/max-replicas': '0',
        },
      },
      spec: { replicas: 0 },
    })
    expect(read().status).toStrictEqual({
      observedGeneration: metadata.generation + 1,
      replicas: 0,
    })
  })

  test('parts with the pods that are worth least', async () => {
    const simulation = openSimulation(only({ replicas: 3 }))
    const [oldest, ...others] = staying(simulation).toSorted((a, b) =>
      a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
    )
    await simulation.patch(WEB, { spec: { replicas: 6 } })
    simulation.pass(2_600)
    const kept = [oldest, ...others].map((pod) => pod?.metadata.name ?? '')
    await simulation.patch(WEB, { spec: { replicas: 3 } })
    simulation.pass(20_000)
    expect(names(simulation)).toStrictEqual(kept.toSorted())

    // Among equal pods the younger one goes first.
    await simulation.patch(WEB, { spec: { replicas: 4 } })
    simulation.pass(20_000)
    await simulation.patch(WEB, { spec: { replicas: 3 } })
    simulation.pass(20_000)
    expect(names(simulation)).toStrictEqual(kept.toSorted())

    // Whoever is not ready goes before who is, however old.
    const [pod] = staying(simulation)
    if (pod === undefined) throw new Error('no pod')
    const conditions = pod.status.conditions?.map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
    )
    simulation.store.put('pods', {
      ...pod,
      status: { ...pod.status, conditions: conditions ?? [] },
    })
    await simulation.patch(WEB, { spec: { replicas: 2 } })
    simulation.pass(20_000)
    expect(names(simulation)).not.toContain(pod.metadata.name)
  })

  test('takes a pod through its life', async () => {
    const { store, patch, pass } = openSimulation(only({ replicas: 1 }))
    const seen: string[] = []
    store.watch('pods', ({ type, object }) => {
      const [status] = object.status.containerStatuses ?? []
      const state =
        status?.state?.waiting?.reason ?? (status?.state?.running ? `running ${status.ready}` : '-')
      seen.push(
        [
          type,
          object.status.phase,
          object.spec.nodeName ? 'on a node' : '-',
          state,
          isGoing(object) ? 'going' : '',
        ]
          .join(' ')
          .trim(),
      )
    })
    await patch(WEB, restart('2026-11-20T09:00:00Z'))
    pass(60_000)
    expect([...new Set(seen)]).toStrictEqual([
      'ADDED Pending - -',
      'MODIFIED Pending on a node -',
      'MODIFIED Pending on a node ContainerCreating',
      'MODIFIED Running on a node running false',
      'MODIFIED Running on a node running true',
      'MODIFIED Running on a node running true going',
      'DELETED Running on a node running true going',
    ])
    const reasons = store.list('events').map(({ reason = '' }) => reason)
    expect([...new Set(reasons)].toSorted()).toStrictEqual([
      'Created',
      'Killing',
      'Pulled',
      'Pulling',
      'ScalingReplicaSet',
      'Scheduled',
      'Started',
      'SuccessfulCreate',
      'SuccessfulDelete',
    ])
  })

  test('counts a pod as available when it was ready for as long as is asked', async () => {
    const { patch, pass, deployment } = openSimulation(only({ replicas: 1 }))
    await patch(WEB, { spec: { minReadySeconds: 30, ...restart('2026-11-20T09:00:00Z').spec } })
    pass(20_000)
    expect(deployment().status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
    })
    pass(30_000)
    expect(deployment().status).toMatchObject({
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    })
  })
})

test('a step is as long as it was said to be', async () => {
  const simulation = openSimulation(only({ replicas: 1 }))
  await simulation.patch(WEB, restart('2026-11-20T09:00:00Z'))
  simulation.pass(2 * STEP_MS)
  expect(isComplete(simulation.deployment())).toBe(false)
  simulation.pass(2 * STEP_MS)
  expect(isComplete(simulation.deployment())).toBe(true)
})
