import { describe, expect, test } from 'bun:test'
import type { WantedApplication } from '#src/demo/clusters/cluster.ts'
import { createImages } from '#src/demo/clusters/images.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import { NOW, openSimulation, STEP_MS } from './open-simulation.ts'

const SHOP: WantedApplication = {
  team: 'payments',
  app: 'shop',
  environment: 'dev',
  namespace: 'payments-dev',
  image: 'ghcr.io/acme/shop:1.0.0',
  replicas: 2,
  resources: { requests: { cpu: '50m' }, limits: {} },
}
function world() {
  const images = createImages()
  images.push('ghcr.io/acme/shop:1.0.0', NOW)
  images.push('ghcr.io/acme/shop:1.1.0', NOW)
  const simulation = openSimulation([], images)
  const { store, sync } = simulation
  const pass = (steps: number) => simulation.pass(steps * STEP_MS)
  return {
    store,
    images,
    sync: (...applications: readonly WantedApplication[]) => {
      const refused = sync({ applications, unreadable: [] })
      pass(20)
      return refused
    },
    syncUnreadable: () =>
      sync({ applications: [], unreadable: [{ team: 'payments', app: 'shop' }] }),
    pass,
    pods: () =>
      store.list('Pod').map((pod) => `${podStatus(pod).status} ${pod.spec.containers[0]?.image}`),
    deployment: () => store.list('Deployment').find(({ metadata }) => metadata.name === 'shop'),
    scale: (replicas: number) =>
      simulation.patchBy('/apis/apps/v1/namespaces/payments-dev/deployments/shop', {
        spec: { replicas },
      }),
  }
}

describe('what the repository wants', () => {
  test('runs, in a namespace of the team', () => {
    const { sync, pods, store, deployment } = world()
    expect(sync(SHOP)).toStrictEqual([])
    expect(pods()).toStrictEqual(Array(2).fill('Running ghcr.io/acme/shop:1.0.0'))
    expect(store.get('Namespace', '', 'payments-dev')?.metadata.labels).toMatchObject({
      'portico/team': 'payments',
    })
    expect(deployment()?.spec.template.spec?.containers[0]?.resources).toStrictEqual(SHOP.resources)
  })

  test('follows its changes', () => {
    const { sync, pods, store } = world()
    sync(SHOP)
    sync({ ...SHOP, image: 'ghcr.io/acme/shop:1.1.0', replicas: 3 })
    expect(pods()).toStrictEqual(Array(3).fill('Running ghcr.io/acme/shop:1.1.0'))
    expect(store.list('ReplicaSet')).toHaveLength(2)
  })

  test('does not change again what is there, nor what people change by hand, until it changes itself', async () => {
    const { sync, deployment, scale } = world()
    sync(SHOP)
    const before = deployment()
    sync(SHOP)
    expect(deployment()).toStrictEqual(before)
    await scale(1)
    sync(SHOP)
    expect(deployment()?.spec.replicas).toBe(1)
    sync({ ...SHOP, image: 'ghcr.io/acme/shop:1.1.0' })
    expect(deployment()?.spec.replicas).toBe(2)
  })

  test('ends when it is not wanted any more', () => {
    const { sync, pods, store, deployment, pass } = world()
    sync(SHOP)
    sync()
    pass(10)
    expect([deployment(), pods(), store.list('ReplicaSet')]).toStrictEqual([undefined, [], []])
  })

  test('stays while its files cannot be read', () => {
    const { sync, syncUnreadable, pods, pass } = world()
    sync(SHOP)
    syncUnreadable()
    pass(10)
    expect(pods()).toHaveLength(2)
  })

  test('is what comes first, of two that want the same', () => {
    const { sync, deployment } = world()
    const twice = { ...SHOP, environment: 'prod', image: 'ghcr.io/acme/shop:1.1.0' }
    sync(SHOP, twice)
    sync(SHOP, twice)
    expect(deployment()?.metadata.generation).toBe(1)
    expect(deployment()?.spec.template.spec?.containers[0]?.image).toBe(SHOP.image)
  })

  test.each(['kube-system', 'payments-dev'])('does not run for others in %s', (namespace) => {
    const { sync, store } = world()
    sync(SHOP)
    const theirs = { ...SHOP, team: 'shipping', app: 'theirs', namespace }
    expect(sync(SHOP, theirs)).toStrictEqual([theirs])
    expect(store.list('Deployment')).toHaveLength(1)
  })

  test('is not held up by another team that wants its name', () => {
    const { sync, deployment } = world()
    sync(SHOP)
    const theirs = { ...SHOP, team: 'aaa' }
    expect(sync(theirs, { ...SHOP, replicas: 3 })).toStrictEqual([theirs])
    expect(deployment()?.spec.replicas).toBe(3)
  })
})

describe('an image', () => {
  test.each(['ghcr.io/acme/shop:2.0.0', 'ghcr.io/acme/shop', 'ghcr.io/acme/shop:1.0.0@sha256:ab'])(
    'that nobody built is not there: %s',
    (image) => {
      const { sync, pods } = world()
      sync({ ...SHOP, replicas: 1, image })
      expect(pods()).toStrictEqual([`ImagePullBackOff ${image}`])
    },
  )

  test('that is built later is found by the next try', () => {
    const { sync, pods, images, pass } = world()
    const image = 'ghcr.io/acme/shop:2.0.0'
    sync({ ...SHOP, replicas: 1, image })
    images.push(image, NOW)
    pass(60)
    expect(pods()).toStrictEqual([`Running ${image}`])
  })

  test('of another registry is there', () => {
    const { sync, pods } = world()
    sync({ ...SHOP, replicas: 1, image: 'docker.io/library/nginx:1.27' })
    expect(pods()).toStrictEqual(['Running docker.io/library/nginx:1.27'])
  })
})
