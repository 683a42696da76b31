import { describe, expect, test } from 'bun:test'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import { openSimulation, restart } from './open-simulation.ts'

const HOUR_MS = 3_600_000
describe('a cluster where nobody does anything', () => {
  test.each(Object.entries(clusters))('%s does next to nothing', (_, rows) => {
    const { store, pass } = openSimulation(rows)
    // What was going on has come to an end, or to its longest back-off.
    pass(HOUR_MS)
    const before = store.version
    pass(HOUR_MS)
    expect(store.version - before).toBeLessThan(1_000)
  })

  test('does not grow', async () => {
    const { store, pass, patch } = openSimulation()
    for (let round = 0; round < 25; round++) {
      for (const name of ['payments-api', 'invoice-service', 'checkout-web']) {
        await patch(
          `/apis/apps/v1/namespaces/payments-dev/deployments/${name}`,
          restart(`at ${round}`),
        )
      }
      pass(60_000)
    }
    expect(store.list('events').length).toBeLessThanOrEqual(400)
    expect(store.list('replicasets').length).toBeLessThanOrEqual(60)
    expect(store.list('pods').length).toBeLessThanOrEqual(45)
    expect(store.changesSince('pods', store.version - 1_001)?.length ?? 0).toBeLessThanOrEqual(
      1_000,
    )
    pass(2 * HOUR_MS)
    const about = store
      .list('events')
      .map(({ involvedObject: { name = '' } }) => name.split('-').slice(0, 2).join('-'))
    expect([...new Set(about)].toSorted()).toStrictEqual([
      'invoice-service',
      'payments-api',
      'returns-portal',
    ])
  })
})
