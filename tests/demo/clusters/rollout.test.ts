import { describe, expect, test } from 'bun:test'
import { only, openSimulation, restart, WEB } from './open-simulation.ts'
import { isComplete, names, said } from './rollout-facts.ts'

describe('a rollout that does not get on', () => {
  test('is over its deadline, and the old pods go on serving', async () => {
    const simulation = openSimulation(only({ replicas: 2 }), {
      'web:bad': { does: 'fail_to_pull' },
    })
    const before = names(simulation)
    const spec = { containers: [{ name: 'web', image: 'web:bad' }] }
    await simulation.patch(WEB, { spec: { progressDeadlineSeconds: 60, template: { spec } } })
    simulation.pass(50_000)
    expect(said(simulation, 'Progressing')).toStartWith('True ReplicaSetUpdated: ReplicaSet "web-')
    simulation.pass(30_000)
    expect(said(simulation, 'Progressing')).toMatch(
      /^False ProgressDeadlineExceeded: ReplicaSet "web-\w+" has timed out progressing\.$/,
    )
    expect(said(simulation, 'Available')).toBe(
      'True MinimumReplicasAvailable: Deployment has minimum availability.',
    )
    expect(names(simulation)).toEqual(expect.arrayContaining(before))

    await simulation.patch(WEB, {
      spec: { template: { spec: { containers: [{ name: 'web', image: 'web:good' }] } } },
    })
    simulation.pass(60_000)
    expect(isComplete(simulation.deployment())).toBe(true)
    expect(said(simulation, 'Progressing')).toStartWith('True NewReplicaSetAvailable')
  })

  test('is not available without its pods', async () => {
    const simulation = openSimulation(only({ replicas: 2 }), { 'web:bad': { does: 'fail_probe' } })
    const spec = { containers: [{ name: 'web', image: 'web:bad' }] }
    const strategy = { rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } }
    await simulation.patch(WEB, { spec: { replicas: 6, strategy, template: { spec } } })
    simulation.pass(60_000)
    expect(said(simulation, 'Available')).toBe(
      'False MinimumReplicasUnavailable: Deployment does not have minimum availability.',
    )
    const unhealthy = simulation.store.list('events').find(({ reason }) => reason === 'Unhealthy')
    expect(unhealthy).toMatchObject({
      type: 'Warning',
      message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
    })
  })
})

describe('a paused deployment', () => {
  test('does not roll, but scales; and goes on when it is resumed', async () => {
    const simulation = openSimulation(only({ replicas: 2 }))
    const { patch, pass, deployment } = simulation
    const before = names(simulation)
    await patch(WEB, { spec: { paused: true } })
    pass(5_000)
    expect(said(simulation, 'Progressing')).toBe('Unknown DeploymentPaused: Deployment is paused')
    await patch(WEB, restart('2026-11-20T09:00:00Z'))
    pass(60_000)
    expect(names(simulation)).toStrictEqual(before)
    expect(deployment().status).toMatchObject({ observedGeneration: 3, replicas: 2 })
    expect(deployment().status.updatedReplicas).toBeUndefined()
    await patch(WEB, { spec: { replicas: 3 } })
    pass(60_000)
    expect(names(simulation)).toHaveLength(3)
    await patch(WEB, { spec: { paused: null } })
    pass(60_000)
    expect(isComplete(deployment())).toBe(true)
    expect(names(simulation).filter((name) => before.includes(name))).toStrictEqual([])
    expect(said(simulation, 'Progressing')).toStartWith('True NewReplicaSetAvailable')
  })

  test('in the middle of its way stays there', async () => {
    const simulation = openSimulation(only({ replicas: 4 }))
    const { patch, pass, store, deployment } = simulation
    await patch(WEB, restart('2026-11-20T09:00:00Z'))
    pass(3_500)
    await patch(WEB, { spec: { paused: true } })
    pass(10_000)
    const sizes = () => store.list('replicasets').map(({ spec }) => spec.replicas)
    const held = sizes()
    expect(Math.min(...held)).toBeGreaterThan(0)
    pass(60_000)
    expect(sizes()).toStrictEqual(held)

    const conditions = new Set<string | undefined>()
    store.watch('deployments', () => conditions.add(said(simulation, 'Progressing')))
    await patch(WEB, { spec: { paused: null } })
    pass(60_000)
    expect(conditions).toContain('Unknown DeploymentResumed: Deployment is resumed')
    expect(isComplete(deployment())).toBe(true)
  })
})

describe('a deployment that recreates its pods', () => {
  test('never has pods of two templates', async () => {
    const simulation = openSimulation(only({ replicas: 2, recreates: true }))
    const { store, patch, pass, deployment } = simulation
    store.watch('pods', () => {
      const hashes = new Set(
        store.list('pods').map(({ metadata }) => metadata.labels?.['pod-template-hash']),
      )
      expect(hashes.size).toBeLessThanOrEqual(1)
    })
    const available: (string | undefined)[] = []
    store.watch('deployments', () => available.push(said(simulation, 'Available')?.split(' ')[0]))
    await patch(WEB, restart('2026-11-20T09:00:00Z'))
    pass(60_000)
    expect(isComplete(deployment())).toBe(true)
    expect([...new Set(available)]).toStrictEqual(['True', 'False'])
  })
})
