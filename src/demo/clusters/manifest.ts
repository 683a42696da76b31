import type { Container, PodTemplate } from './objects.ts'
import { type JobRun, type NamespaceRow, sizes, type Workload } from './workloads.ts'

/** The team whose role binding a namespace has. */
export const TEAM_LABEL = 'portico/team'

/** Pod templates as teams apply them, with the API server's defaults. */

export const ORGANISATION = 'ghcr.io/acme'

export const imageOf = (component: string, tag: string): string =>
  `${ORGANISATION}/${component}:${tag}`

const NAME = 'app.kubernetes.io/name'

type Resources = NonNullable<Container['resources']>

/** Team, environment and resources of a workload. */
export interface Placement {
  readonly team: string
  readonly environment: string
  readonly resources: Resources
}

export const placementIn = ({ team, environment }: NamespaceRow): Placement => ({
  team,
  environment,
  resources: sizes[environment],
})

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

/** Contains secrets in plain text, as real manifests do: the portal must never show them. */
const environmentOf = (component: string, { team, environment }: Placement) => [
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

const mainContainer = (name: string, image: string, placement: Placement): Container => ({
  name,
  image,
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: environmentOf(name, placement),
  resources: placement.resources,
  readinessProbe: probe('/readyz'),
  livenessProbe: probe('/healthz'),
  ...CONTAINER_DEFAULTS,
})

const helperContainer = (image: string, rest: Partial<Container> = {}): Container => ({
  name: /[^/]*(?=:)/.exec(image)?.[0] ?? 'init',
  image,
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
  ...rest,
  ...CONTAINER_DEFAULTS,
})

export function templateOf(
  workload: Omit<Workload, 'history'>,
  image: string,
  placement: Placement,
): PodTemplate {
  const { name, initImage, sidecarImage, graceSeconds = 30 } = workload
  const initContainers = [
    ...(sidecarImage === undefined
      ? []
      : [helperContainer(sidecarImage, { restartPolicy: 'Always' })]),
    ...(initImage === undefined ? [] : [helperContainer(initImage)]),
  ]
  return {
    metadata: {
      creationTimestamp: null,
      labels: { ...selectorOf(name), ...versionOf(image), [TEAM_LABEL]: placement.team },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    },
    spec: {
      ...(initContainers.length > 0 && { initContainers }),
      containers: [mainContainer(name, image, placement)],
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
      // The label of the component would match the selector of its deployment.
      'app.kubernetes.io/part-of': component,
      'batch.kubernetes.io/job-name': name,
      'job-name': name,
      [TEAM_LABEL]: row.team,
    },
  },
  spec: {
    containers: [
      {
        name: 'job',
        image: imageOf(component, tag),
        args: [...args],
        env: environmentOf(component, placementIn(row)),
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

/** The label with the tag of an image. */
export const versionOf = (image: string) => ({
  'app.kubernetes.io/version': /:([\w.-]{1,63})(?:@|$)/.exec(image)?.[1] ?? 'latest',
})
