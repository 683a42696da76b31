import { describe, expect, test } from 'bun:test'
import { openSimulation, STEP_MS } from './open-simulation.ts'

interface List {
  kind: string
  apiVersion: string
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  items: { metadata: { name: string; namespace: string } }[]
}

const PODS = '/api/v1/namespaces/payments-dev/pods'
const keys = ({ items }: List) =>
  items.map(({ metadata: { name, namespace } }) => `${namespace}/${name}`)

describe('a list', () => {
  test('is of one namespace, or of all of them', async () => {
    const { get, store } = openSimulation()
    const all = (await get('/api/v1/pods')) as List
    const some = (await get(PODS)) as List
    expect(all).toMatchObject({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(store.version) },
    })
    expect(keys(all)).toStrictEqual(keys(all).toSorted())
    expect(keys(some)).toStrictEqual(keys(all).filter((key) => key.startsWith('payments-dev/')))
    expect(all.items[0]).not.toHaveProperty('kind')
    expect(await get(`${PODS}/${some.items[0]?.metadata.name}`)).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
    })
  })

  test('selects by labels and fields', async () => {
    const { get } = openSimulation()
    const names = async (query: string) =>
      keys((await get(`/api/v1/pods?${query}`)) as List).map((key) =>
        key.split('-').slice(0, 3).join('-'),
      )
    expect(await names('labelSelector=app.kubernetes.io%2Fname%3Dlabel-printer')).toStrictEqual([
      'shipping-dev/label-printer',
      'shipping-staging/label-printer',
    ])
    expect(await names('fieldSelector=status.phase%3DSucceeded')).toStrictEqual([
      'payments-dev/ledger-nightly',
    ])
  })

  test('comes in pages of one moment', async () => {
    const { get, pass, store } = openSimulation()
    const whole = (await get('/api/v1/pods')) as List
    const first = (await get('/api/v1/pods?limit=8')) as List
    expect(first.metadata).toMatchObject({
      resourceVersion: whole.metadata.resourceVersion,
      remainingItemCount: whole.items.length - 8,
    })
    for (const { metadata } of whole.items.slice(3, 12)) store.remove('pods', metadata)
    pass(STEP_MS * 20)
    const second = (await get(`/api/v1/pods?limit=8&continue=${first.metadata.continue}`)) as List
    const rest = (await get(`/api/v1/pods?continue=${second.metadata.continue}`)) as List
    expect([first, second, rest].map(({ metadata }) => metadata.resourceVersion)).toStrictEqual(
      Array(3).fill(first.metadata.resourceVersion),
    )
    expect([...keys(first), ...keys(second), ...keys(rest)]).toStrictEqual(keys(whole))
    expect(rest.metadata).toStrictEqual({ resourceVersion: whole.metadata.resourceVersion })
  })

  test('is the newest for any older version', async () => {
    const { get, store } = openSimulation()
    const { version } = store
    const [pod] = store.list('pods')
    if (pod) store.remove('pods', pod.metadata)
    const list = async (query: string) => (await get(`/api/v1/pods?${query}`)) as List
    const newest = await list(`resourceVersion=${version}`)
    expect(newest.metadata.resourceVersion).toBe(String(store.version))
    expect((await list(`resourceVersion=${store.version}`)).items).toHaveLength(newest.items.length)
  })

  test('does not count what is left of a selection', async () => {
    const page = (await openSimulation().get(
      '/api/v1/pods?limit=1&labelSelector=portico%2Fteam',
    )) as List
    expect(page.metadata.continue).toBeString()
    expect(page.metadata).not.toHaveProperty('remainingItemCount')
  })

  test('is whole when any version will do, whatever the limit', async () => {
    const { get } = openSimulation()
    expect(
      ((await get('/api/v1/pods?limit=2&resourceVersion=0')) as List).items.length,
    ).toBeGreaterThan(2)
  })

  test('that has waited for too long is refused', async () => {
    const { get, ask, store } = openSimulation()
    const first = (await get('/api/v1/pods?limit=8')) as List
    for (let change = 0; change < 1_100; change++) {
      const [pod] = store.list('pods')
      if (pod)
        store.put('pods', {
          ...pod,
          metadata: { ...pod.metadata, labels: { change: String(change) } },
        })
    }
    const refused = await ask(
      'platform',
      `/api/v1/pods?limit=8&continue=${first.metadata.continue}`,
    )
    expect(refused.status).toBe(410)
    expect(await refused.json()).toMatchObject({
      reason: 'Expired',
      message: expect.stringMatching(/^The provided continue parameter is too old/),
    })
  })

  // prettier-ignore
  test.each([
    ['continue=x', 400], ['continue=e30', 400], [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":"7","start":"a/b"}')}`, 400],
    [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":7,"start":"a/b"}')}&resourceVersion=7`, 400],
    ['limit=x', 400], ['limit=-1', 400], ['resourceVersion=x', 400], ['resourceVersion=-1', 400], ['labelSelector=a+b', 400], ['fieldSelector=a', 400],
    ['timeoutSeconds=x', 400], ['sendInitialEvents=true&watch=true', 422], ['resourceVersion=999999999999999', 504],
  ])('refuses %s with %d', async (query, status) => {
    const answer = await openSimulation().ask('platform', `/api/v1/pods?${query}`)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ kind: 'Status', code: status, status: 'Failure' })
  })
})
