import { describe, expect, test } from 'bun:test'
import type { Pod } from '#src/demo/clusters/objects.ts'
import { clusters } from '#src/demo/clusters/workloads.ts'
import * as payments from '#src/demo/seed/payments.ts'
import * as shipping from '#src/demo/seed/shipping.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { joinWorkloads, objectsOf } from '#src/lib/domain/clusters/workloads/join.ts'
import { NOW, openSimulation } from './open-simulation.ts'

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

  test('lets the last pod of what was scaled to zero end its work', () => {
    const simulation = openSimulation()
    simulation.pass(7 * 3_600_000)
    expect(look(simulation)['legacy-billing']).toStrictEqual(['1/1 Terminating'])
    simulation.pass(3_600_000)
    expect(look(simulation)['legacy-billing']).toBeUndefined()
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
