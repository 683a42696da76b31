import type { Container, PodTemplate } from '../objects.ts'
import type { JobRun, NamespaceRow, Workload } from './workload.ts'

/** What a team applies: containers as they stand in its manifests, with the defaults of the API server. */

const imageOf = (component: string, tag: string): string => `ghcr.io/acme/${component}:${tag}`

const NAME = 'app.kubernetes.io/name'

const sizes = {
  dev: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '250m', memory: '128Mi' } },
  production: { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
} as const satisfies Record<NamespaceRow['environment'], Container['resources']>

const CONTAINER_DEFAULTS = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
} satisfies Partial<Container>

const POD_DEFAULTS = {
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
}

/** With values that are nobody's business, as they are in real clusters. */
const environmentOf = (component: string, { team, environment }: NamespaceRow) => [
  { name: 'APP_ENVIRONMENT', value: environment },
  { name: 'LOG_LEVEL', value: environment === 'dev' ? 'debug' : 'info' },
  {
    name: 'DATABASE_URL',
    value: `postgres://${component}:s3cret-of-${component}@${team}-db.acme.example:5432/${team}`,
  },
  {
    name: 'SIGNING_KEY',
    valueFrom: { secretKeyRef: { name: `${component}-env`, key: 'SIGNING_KEY' } },
  },
  { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
]

const probe = (path: string): NonNullable<Container['readinessProbe']> => ({
  httpGet: { path, port: 'http', scheme: 'HTTP' },
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
})

const mainContainer = ({ name, type }: Workload, tag: string, row: NamespaceRow): Container => ({
  name,
  image: imageOf(name, tag),
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: environmentOf(name, row),
  resources: sizes[row.environment],
  readinessProbe: probe('/readyz'),
  ...(type !== 'worker' && { livenessProbe: probe('/healthz') }),
  ...CONTAINER_DEFAULTS,
})

const smallContainer = (image: string, rest: Partial<Container> = {}): Container => ({
  name: /[^/]*(?=:)/.exec(image)?.[0] ?? 'init',
  image,
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
  ...rest,
  ...CONTAINER_DEFAULTS,
})

export function templateOf(workload: Workload, tag: string, row: NamespaceRow): PodTemplate {
  const { name, prepares, sidecar, graceSeconds = 30 } = workload
  const initContainers = [
    ...(sidecar === undefined ? [] : [smallContainer(sidecar, { restartPolicy: 'Always' })]),
    ...(prepares === undefined ? [] : [smallContainer(prepares)]),
  ]
  return {
    metadata: {
      creationTimestamp: null,
      labels: { ...selectorOf(name), 'app.kubernetes.io/version': tag, 'portico/team': row.team },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    },
    spec: {
      ...(initContainers.length > 0 && { initContainers }),
      containers: [mainContainer(workload, tag, row)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: graceSeconds,
      ...POD_DEFAULTS,
    },
  }
}

export const jobTemplate = (
  { name, component, tag, args }: JobRun,
  row: NamespaceRow,
): PodTemplate => ({
  metadata: {
    creationTimestamp: null,
    labels: {
      // Not the name of the component: its deployment would take the pod for one of its own.
      'app.kubernetes.io/part-of': component,
      'batch.kubernetes.io/job-name': name,
      'job-name': name,
      'portico/team': row.team,
    },
  },
  spec: {
    containers: [
      {
        name: 'job',
        image: imageOf(component, tag),
        args: [...args],
        env: environmentOf(component, row),
        resources: sizes[row.environment],
        ...CONTAINER_DEFAULTS,
      },
    ],
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    ...POD_DEFAULTS,
  },
})

export const selectorOf = (name: string) => ({ [NAME]: name })
