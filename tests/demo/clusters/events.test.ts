import { describe, expect, test } from 'bun:test'
import { image, live } from './live-pod.ts'
import { NOW, only, openSimulation, WEB } from './open-simulation.ts'

describe('events', () => {
  test('that are alike are counted', async () => {
    const { store, pod } = await live(
      {},
      { [image('web')]: { does: 'run_out_of_memory', afterSteps: 5 } },
      60_000,
    )
    const { name, namespace, uid } = pod().metadata
    const event = store
      .list('events')
      .find(({ reason, involvedObject }) => reason === 'BackOff' && involvedObject.uid === uid)
    expect(event).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      type: 'Warning',
      count: 3,
      message: `Back-off restarting failed container web in pod ${name}_${namespace}(${uid})`,
      involvedObject: {
        kind: 'Pod',
        apiVersion: 'v1',
        namespace,
        name,
        uid,
        fieldPath: 'spec.containers{web}',
      },
      source: { component: 'kubelet', host: pod().spec.nodeName ?? '' },
      reportingComponent: 'kubelet',
      eventTime: null,
      firstTimestamp: '2026-11-20T09:00:15Z',
      lastTimestamp: '2026-11-20T09:00:49Z',
    })
  })

  test('say who reports them', async () => {
    const { store, deployment } = await live({}, {}, 10_000)
    const event = store.list('events').find(({ reason }) => reason === 'ScalingReplicaSet')
    expect(event).toMatchObject({
      type: 'Normal',
      message: expect.stringMatching(/^Scaled up replica set web-\w+ from 0 to 1$/),
      source: { component: 'deployment-controller' },
      reportingInstance: '',
    })
    expect(event?.source).not.toHaveProperty('host')
    expect(event?.involvedObject).toStrictEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      namespace: 'payments-dev',
      name: 'web',
      uid: deployment().metadata.uid,
      resourceVersion: expect.any(String),
    })
  })

  test('are forgotten after an hour', async () => {
    const { store, pass } = await live({}, {}, 10_000)
    const begin = store.list('events').length
    pass(3_600_000 - 10_000)
    expect(store.list('events')).toHaveLength(begin)
    pass(310_000)
    expect(store.list('events')).toStrictEqual([])
  })

  test('are four hundred at most, the latest', async () => {
    const { store, patch, pass } = openSimulation(only({ replicas: 0 }))
    let most = 0
    store.watch('events', () => {
      most = Math.max(most, store.list('events').length)
    })
    for (let round = 0; round < 6; round++) {
      await patch(WEB, { spec: { replicas: 50 } })
      pass(5_000)
      await patch(WEB, { spec: { replicas: 0 } })
      pass(5_000)
      expect(store.list('events').length).toBeLessThanOrEqual(400)
    }
    const events = store.list('events')
    expect(events.length).toBeWithin(300, 401)
    expect(most).toBe(401)
    expect(
      events.every(({ lastTimestamp }) => Date.parse(lastTimestamp ?? '') >= NOW + 40_000),
    ).toBe(true)
  })
})
