import { describe, expect, test } from 'bun:test'
import type { Pod } from '#src/demo/clusters/objects.ts'
import { clusters } from '#src/demo/clusters/workloads.ts'
import * as payments from '#src/demo/seed/payments.ts'
import * as shipping from '#src/demo/seed/shipping.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { joinWorkloads, objectsOf } from '#src/lib/domain/clusters/workloads/join.ts'
import { NOW, openSimulation, restart, STEP_MS } from './open-simulation.ts'

const components = [...payments.components, payments.billing.inProduction, ...shipping.components]
const tagOf = (name: string, environment: 'dev' | 'staging' | 'production'): string | undefined =>
  components
    .map(({ name, deployed }): [string, Readonly<Record<string, string>>] => [name, deployed])
    .find(([component]) => component === name)?.[1][environment]

const componentOf = ({ metadata }: Pod) =>
  (metadata.ownerReferences?.[0]?.name ?? '').replace(/-(?:[b-z2-9]{8,10}|\d{8})$/, '')

/** What `kubectl get pods` shows, by component. */
function look({
  store,
}: ReturnType<typeof openSimulation>): Readonly<Record<string, readonly string[]>> {
  const inDevelopment = store
    .list('Pod')
    .filter(({ metadata }) => !metadata.namespace.endsWith('-staging'))
  const shown = inDevelopment.map((pod) => {
    const { ready, status } = podStatus(pod)
    return [componentOf(pod), `${ready.ready}/${ready.total} ${status}`] as const
  })
  const by = Object.groupBy(shown, ([component]) => component)
  return Object.fromEntries(
    Object.entries(by).map(([name, rows = []]) => [name, rows.map(([, row]) => row).toSorted()]),
  )
}

describe('dev-east', () => {
  test('has something of everything', () => {
    expect(look(openSimulation())).toStrictEqual({
      'checkout-web': ['1/1 Running', '1/1 Running', '1/1 Running'],
      'payments-api': ['0/1 CrashLoopBackOff', '0/1 CrashLoopBackOff'],
      'invoice-service': ['0/1 ImagePullBackOff', '1/1 Running', '1/1 Running'],
      ledger: ['2/2 Running', '2/2 Running'],
      'ledger-nightly-close': ['0/1 Completed'],
      'legacy-billing': ['1/1 Terminating'],
      'shipping-api': ['1/1 Running', '1/1 Running'],
      'tracking-web': ['1/1 Running'],
      'label-printer': ['0/1 Init:0/1'],
      'returns-portal': ['0/1 Running', '1/1 Running'],
      'carrier-bridge': ['1/1 Running'],
    })
  })

  test('has deployments in every condition', () => {
    const { store } = openSimulation()
    const inDevelopment = store
      .list('Deployment')
      .filter(({ metadata }) => metadata.namespace.endsWith('-dev'))
    const rows = inDevelopment.map(({ metadata, spec, status }) => {
      const reasons =
        status.conditions?.map(({ status, reason }) => `${status} ${reason}`).toSorted() ?? []
      return [
        metadata.name,
        spec.replicas,
        spec.paused ?? false,
        status.availableReplicas ?? 0,
        ...reasons,
      ]
    })
    const well = ['True MinimumReplicasAvailable', 'True NewReplicaSetAvailable']
    expect(rows).toStrictEqual([
      ['checkout-web', 3, false, 3, ...well],
      [
        'invoice-service',
        2,
        false,
        2,
        'False ProgressDeadlineExceeded',
        'True MinimumReplicasAvailable',
      ],
      ['ledger', 2, true, 2, 'True MinimumReplicasAvailable', 'Unknown DeploymentPaused'],
      ['legacy-billing', 0, false, 0, ...well],
      [
        'payments-api',
        2,
        false,
        0,
        'False MinimumReplicasUnavailable',
        'True NewReplicaSetAvailable',
      ],
      ['carrier-bridge', 1, false, 1, ...well],
      [
        'label-printer',
        1,
        false,
        0,
        'False MinimumReplicasUnavailable',
        'False ProgressDeadlineExceeded',
      ],
      ['returns-portal', 1, false, 1, 'True MinimumReplicasAvailable', 'True ReplicaSetUpdated'],
      ['shipping-api', 2, false, 2, ...well],
      ['tracking-web', 1, false, 1, ...well],
    ])
  })

  test('tells why a container was killed, and how often', () => {
    const { store } = openSimulation()
    const pod = store.list('Pod').find((one) => componentOf(one) === 'payments-api')
    const [status] = pod?.status.containerStatuses ?? []
    expect(status?.lastState?.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 })
    expect(status?.restartCount).toBeWithin(5, 12)
    expect(status?.state?.waiting?.message).toStartWith(
      'back-off 5m0s restarting failed container=payments-api pod=payments-api-',
    )
    expect(pod?.status.phase).toBe('Running')
    const warnings = store
      .list('Event')
      .filter(
        ({ type, involvedObject }) =>
          type === 'Warning' && involvedObject.uid === pod?.metadata.uid,
      )
    expect(warnings).toMatchObject([
      { reason: 'BackOff', involvedObject: { fieldPath: 'spec.containers{payments-api}' } },
    ])
  })

  test('tells which image is not there', () => {
    const pod = openSimulation()
      .store.list('Pod')
      .find(
        ({ status }) =>
          status.containerStatuses?.[0]?.state?.waiting?.reason === 'ImagePullBackOff',
      )
    expect(pod?.status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'Back-off pulling image "ghcr.io/acme/invoice-service:2.3.0": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "ghcr.io/acme/invoice-service:2.3.0": failed to resolve reference "ghcr.io/acme/invoice-service:2.3.0": ghcr.io/acme/invoice-service:2.3.0: not found',
    )
  })

  test('restarts what is well, and what is broken breaks again', async () => {
    const simulation = openSimulation()
    const path = (name: string) => `/apis/apps/v1/namespaces/payments-dev/deployments/${name}`
    for (const name of ['checkout-web', 'payments-api'])
      await simulation.patchBy(path(name), restart('2026-11-20T09:00:00Z'))
    simulation.pass(STEP_MS * 15)
    const { 'checkout-web': web, 'payments-api': api } = look(simulation)
    expect({ web, api }).toStrictEqual({
      web: Array(3).fill('1/1 Running'),
      api: Array(2).fill('1/1 Running'),
    })
    const seen = new Set<string>()
    simulation.store.watch(({ object }) => {
      if (object.kind !== 'Pod' || componentOf(object) !== 'payments-api') return
      const { status, restarts } = podStatus(object)
      seen.add(`${status} ${restarts}`)
    })
    simulation.pass(STEP_MS * 120)
    expect([...seen].slice(0, 8)).toStrictEqual([
      'OOMKilled 0',
      'Running 1',
      'OOMKilled 1',
      'CrashLoopBackOff 1',
      'Running 2',
      'OOMKilled 2',
      'CrashLoopBackOff 2',
      'Running 3',
    ])
    expect(look(simulation)['checkout-web']).toStrictEqual(web)
  })

  test('lets the last pod of what was scaled to zero end its work', () => {
    const simulation = openSimulation()
    simulation.pass(7 * 3_600_000)
    expect(look(simulation)['legacy-billing']).toStrictEqual(['1/1 Terminating'])
    simulation.pass(3_600_000)
    expect(look(simulation)['legacy-billing']).toBeUndefined()
  })
})

describe('prod-west', () => {
  test('is well', () => {
    const shown = Object.values(look(openSimulation(clusters['prod-west']))).flat()
    expect([...new Set(shown)].toSorted()).toStrictEqual([
      '0/1 Completed',
      '1/1 Running',
      '2/2 Running',
    ])
  })
})

describe('in both', () => {
  const all = Object.entries(clusters).flatMap(([, rows]) => rows)

  test('workloads are components of the catalog, at the tags of its overlays', () => {
    for (const { workloads, environment } of all) {
      for (const { name, history } of workloads) {
        const last = history.findLast(({ tag }) => tag !== undefined)?.tag
        expect([name, last]).toStrictEqual([name, tagOf(name, environment)])
      }
    }
  })

  test('names are the same at every start', () => {
    const names = () =>
      openSimulation()
        .store.list('Pod')
        .map(({ metadata }) => metadata.name)
    expect(names()).toStrictEqual(names())
  })

  test('pods look like pods', () => {
    const { store } = openSimulation()
    for (const pod of store.list('Pod')) {
      const [container] = pod.spec.containers
      expect(pod.metadata).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ownerReferences: [{ controller: true }],
      })
      expect(pod.spec).toMatchObject({ nodeName: expect.stringMatching(/^dev-east-worker-\d$/) })
      expect(pod.status).toMatchObject({
        hostIP: expect.stringMatching(/^10\.20\./),
        podIP: expect.stringMatching(/^10\.42\./),
        startTime: expect.stringMatching(/^2026-/),
      })
      expect(container?.resources?.limits).toHaveProperty('memory')
      expect(pod.status.conditions?.map(({ type }) => type).toSorted()).toStrictEqual([
        'ContainersReady',
        'Initialized',
        'PodReadyToStartContainers',
        'PodScheduled',
        'Ready',
      ])
      for (const status of pod.status.containerStatuses ?? []) {
        if (status.state?.running)
          expect(status).toMatchObject({
            containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
            imageID: expect.stringContaining('@sha256:'),
          })
      }
    }
    const ips = store.list('Pod').map(({ status }) => status.podIP)
    expect(new Set(ips).size).toBe(ips.length)
  })

  test('deployments carry what a portal must not show', () => {
    for (const { metadata, spec } of openSimulation().store.list('Deployment')) {
      const secret = `s3cret-of-${metadata.name}`
      expect(JSON.stringify(spec.template.spec?.containers[0]?.env)).toContain(secret)
      expect(metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toContain(
        secret,
      )
    }
  })
})

test('one of each kind, each with its verdict', () => {
  const { store } = openSimulation()
  const types = [
    { kind: 'Deployment', items: store.list('Deployment').map(RESOURCES.deployment.facts) },
    { kind: 'StatefulSet', items: store.list('StatefulSet').map(RESOURCES.statefulset.facts) },
    { kind: 'DaemonSet', items: store.list('DaemonSet').map(RESOURCES.daemonset.facts) },
    { kind: 'Job', items: store.list('Job').map(RESOURCES.job.facts) },
    { kind: 'CronJob', items: store.list('CronJob').map(RESOURCES.cronjob.facts) },
    { kind: 'ReplicaSet', items: store.list('ReplicaSet').map(RESOURCES.replicaset.facts) },
    { kind: 'Pod', items: store.list('Pod').map(RESOURCES.pod.facts) },
  ]
  const rows = joinWorkloads(objectsOf(types), NOW).filter(
    ({ namespace }) => namespace === 'payments-dev',
  )
  expect(
    rows.map(({ kind, name, health, reason }) => [kind, name, health, reason].join(' ')),
  ).toStrictEqual([
    'Deployment checkout-web Healthy ',
    'CronJob exchange-rates Degraded JobFailed',
    'Deployment invoice-service Degraded ImagePullBackOff',
    'Deployment ledger Suspended Paused',
    'Job ledger-migrate-4.12.1 Healthy Completed',
    'StatefulSet ledger-queue Healthy ',
    'Deployment legacy-billing Idle ScaledToZero',
    'Deployment payments-api Degraded OOMKilled',
    'DaemonSet receipt-cache Healthy ',
  ])
})
