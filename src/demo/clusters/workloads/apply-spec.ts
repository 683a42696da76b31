import { type Deployment, type DeploymentSpec, newMetadata, type PodTemplate } from '../objects.ts'
import type { Store } from '../store.ts'
import { selectorOf } from './manifest.ts'
import { TEAM_LABEL } from './namespace.ts'

const PROGRESS_DEADLINE_SECONDS = 600
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const MANAGER = 'argocd'

export const isApplied = ({ metadata }: Deployment): boolean =>
  metadata.labels?.[MANAGED_BY] === MANAGER

/** A deployment's specification with the API server's defaults. */
export const newSpec = (template: PodTemplate, name: string): DeploymentSpec => ({
  replicas: 1,
  selector: { matchLabels: selectorOf(name) },
  template,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
})

/** Creates or changes a deployment as Argo CD does. Its last applied manifest has the secrets of its environment, as real ones do. */
export function applySpec(
  store: Store,
  { name, namespace, team }: Readonly<Record<'name' | 'namespace' | 'team', string>>,
  spec: DeploymentSpec,
  now: number,
): void {
  const before = store.get('deployments', { namespace, name })
  const metadata = before?.metadata ?? {
    ...newMetadata(name, namespace, now),
    labels: { ...selectorOf(name), [MANAGED_BY]: MANAGER, [TEAM_LABEL]: team },
  }
  const { uid: _, resourceVersion: __, annotations: ___, ...applied } = metadata
  const manifest = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: applied, spec }
  store.put('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...metadata,
      generation: before === undefined ? 1 : before.metadata.generation + 1,
      annotations: {
        ...metadata.annotations,
        'argocd.argoproj.io/tracking-id': `${team}-${name}:apps/Deployment:${namespace}/${name}`,
        'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n`,
      },
    },
    spec,
    status: before?.status ?? {},
  })
}
