import { describe, expect, test } from 'bun:test'
import { only, openSimulation, restart, WEB } from './open-simulation.ts'
import { isComplete, names } from './rollout-facts.ts'

describe('a deployment', () => {
  test('scales without a new revision', async () => {
    const simulation = openSimulation(only({ replicas: 3 }))
    const before = names(simulation)
    await simulation.patch(WEB, { spec: { replicas: 5 } })
    simulation.pass(30_000)
    expect(names(simulation)).toEqual(expect.arrayContaining(before))
    expect(isComplete(simulation.deployment())).toBe(true)
    await simulation.patch(WEB, { spec: { replicas: 0 } })
    simulation.pass(30_000)
    expect(simulation.store.list('pods')).toStrictEqual([])
    expect(simulation.deployment().status).toStrictEqual({
      observedGeneration: 3,
      conditions: [
        expect.objectContaining({ type: 'Progressing', status: 'True' }),
        expect.objectContaining({ type: 'Available', status: 'True' }),
      ],
    })
    expect(simulation.store.list('replicasets')).toHaveLength(1)
  })

  test('goes back to a replica set that it had', async () => {
    const simulation = openSimulation(only())
    const { patch, pass, store, deployment } = simulation
    const image = (tag: string) => ({
      spec: { template: { spec: { containers: [{ name: 'web', image: `web:${tag}` }] } } },
    })
    await patch(WEB, image('2'))
    pass(60_000)
    await patch(WEB, image('3'))
    pass(60_000)
    await patch(WEB, image('2'))
    pass(60_000)
    expect(isComplete(deployment())).toBe(true)
    const revisions = store
      .list('replicasets')
      .map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'] ?? '')
    expect(revisions.toSorted()).toStrictEqual(['1', '3', '4'])
    expect(deployment().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('4')
  })

  test('keeps as many old replica sets as it is told', async () => {
    const { patch, pass, store } = openSimulation(only({ replicas: 1 }))
    await patch(WEB, { spec: { revisionHistoryLimit: 2 } })
    for (let second = 0; second < 5; second++) {
      await patch(WEB, restart(`2026-11-20T09:00:0${second}Z`))
      pass(60_000)
    }
    const revisions = store
      .list('replicasets')
      .map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'] ?? '')
    expect(revisions.toSorted()).toStrictEqual(['4', '5', '6'])
  })
})
