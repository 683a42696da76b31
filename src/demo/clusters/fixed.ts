import { imageOf, selectorOf, TEAM_LABEL } from './manifest.ts'
import {
  type CronJob,
  type DaemonSet,
  type HorizontalPodAutoscaler,
  type Ingress,
  type Job,
  newMetadata,
  referenceTo,
  type Service,
  type StatefulSet,
  timestamp,
} from './objects.ts'

const HOUR_MS = 3_600_000

/** The service, the ingress and the autoscaler of a workload; the autoscaler is at its limit. */
function aroundOf(namespace: string, name: string, now: number) {
  const metadata = (kind: Parameters<typeof newMetadata>[0]) => ({
    ...newMetadata(kind, name, namespace, now - 1_206 * HOUR_MS),
    labels: selectorOf(name),
  })
  const host = `${name}.${namespace}.acme.example`
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('Service'),
    spec: {
      type: 'ClusterIP',
      selector: selectorOf(name),
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' }],
    },
    status: { loadBalancer: {} },
  }
  const backend = { service: { name, port: { name: 'http' } } }
  const ingress: Ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata('Ingress'),
    spec: {
      tls: [{ hosts: [host] }],
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
    status: { loadBalancer: {} },
  }
  const autoscaler: HorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadata('HorizontalPodAutoscaler'),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 1,
      maxReplicas: 2,
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      conditions: [
        {
          type: 'ScalingLimited',
          status: 'True',
          reason: 'TooManyReplicas',
          message: 'the desired replica count is more than the maximum replica count',
          lastTransitionTime: timestamp(now - 5 * HOUR_MS),
        },
      ],
    },
  }
  return [service, ingress, autoscaler]
}

/** Objects of other kinds, one of each, as they stay: nothing simulates their controllers, and they have no pods of their own. */
export function fixedObjects(namespace: string, team: string, now: number) {
  const ago = (hours: number): string => timestamp(now - hours * HOUR_MS)
  const metadata = (
    kind: Parameters<typeof newMetadata>[0],
    name: string,
    hours: number,
    app: string,
  ) => ({
    ...newMetadata(kind, name, namespace, now - hours * HOUR_MS),
    generation: 1,
    labels: { ...selectorOf(app), [TEAM_LABEL]: team },
  })
  const template = (name: string, image: string) => ({
    metadata: { labels: selectorOf(name) },
    spec: { containers: [{ name, image }] },
  })
  const runOf = (name: string, image: string) => {
    const { metadata, spec } = template(name, image)
    return { metadata, spec: { ...spec, restartPolicy: 'Never' } }
  }

  const database: StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadata('StatefulSet', 'ledger-queue', 1_206, 'ledger'),
    spec: {
      replicas: 2,
      serviceName: 'ledger-queue',
      selector: { matchLabels: selectorOf('ledger-queue') },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      template: template('ledger-queue', 'docker.io/library/nats:2.12.1'),
    },
    status: {
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: 'ledger-queue-6f7d8b9c5d',
      updateRevision: 'ledger-queue-6f7d8b9c5d',
    },
  }
  const shipper: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata('DaemonSet', 'receipt-cache', 660, 'checkout-web'),
    spec: {
      selector: { matchLabels: selectorOf('receipt-cache') },
      updateStrategy: { type: 'RollingUpdate' },
      template: template('receipt-cache', 'docker.io/valkey/valkey:9.0'),
    },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      updatedNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
    },
  }
  const migration: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata('Job', 'ledger-migrate-4.12.1', 29.7, 'ledger'),
    spec: { completions: 1, template: runOf('migrate', imageOf('ledger', '4.12.1')) },
    status: {
      startTime: ago(29.7),
      completionTime: ago(29.66),
      succeeded: 1,
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        reason: 'CompletionsReached',
        lastTransitionTime: ago(29.66),
      })),
    },
  }
  const runs = runOf('exchange-rates', imageOf('invoice-service', '2.2.4'))
  const lastRun = now - (now % HOUR_MS) - HOUR_MS / 6
  const rates: CronJob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata('CronJob', 'exchange-rates', 190, 'invoice-service'),
    spec: { schedule: '50 * * * *', jobTemplate: { spec: { template: runs } } },
    status: {
      lastScheduleTime: timestamp(lastRun),
      lastSuccessfulTime: timestamp(lastRun - 3 * HOUR_MS),
    },
  }
  const failed: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...newMetadata('Job', `exchange-rates-${lastRun / 60_000}`, namespace, lastRun),
      labels: { [TEAM_LABEL]: team },
      ownerReferences: [referenceTo(rates)],
    },
    spec: { completions: 1, backoffLimit: 2, template: runs },
    status: {
      startTime: timestamp(lastRun),
      failed: 3,
      conditions: ['FailureTarget', 'Failed'].map((type) => ({
        type,
        status: 'True',
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
        lastTransitionTime: timestamp(lastRun + 120_000),
      })),
    },
  }
  const around = aroundOf(namespace, 'payments-api', now)
  return [database, shipper, migration, rates, failed, ...around]
}
