import { newMetadata, type Container, type Pod, type PodTemplate } from '../objects.ts'
import { hex } from './hash.ts'
import type { OwnerReference } from './ownership.ts'

export interface NewPodOptions {
  readonly name: string
  readonly namespace: string
  readonly template: PodTemplate
  readonly owner: OwnerReference
  readonly generateName?: string
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

/** A created pod with the API server's defaults, not scheduled yet. */
export function newPod(
  { name, namespace, template, owner, generateName }: NewPodOptions,
  now: number,
): Pod {
  const { generation: _, ...metadata } = newMetadata(name, namespace, now)
  const { labels, annotations } = template.metadata ?? {}
  const volume = `kube-api-access-${hex(metadata.uid).slice(0, 5)}`
  const mount = { name: volume, readOnly: true, mountPath: TOKEN_PATH }
  const withToken = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  })
  const spec = template.spec ?? { containers: [] }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      ...(generateName !== undefined && { generateName }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [owner],
    },
    spec: {
      ...spec,
      volumes: [
        ...(spec.volumes ?? []),
        { name: volume, projected: { defaultMode: 420, sources } },
      ],
      ...(spec.initContainers && { initContainers: spec.initContainers.map(withToken) }),
      containers: spec.containers.map(withToken),
      serviceAccountName: spec.serviceAccountName ?? 'default',
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      tolerations: [tolerateFor5Minutes('not-ready'), tolerateFor5Minutes('unreachable')],
    },
    status: { phase: 'Pending', qosClass: qosClass(spec.containers) },
  }
}

const sources = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
]

const tolerateFor5Minutes = (problem: string) => ({
  key: `node.kubernetes.io/${problem}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
})

function qosClass(containers: readonly Container[]): string {
  const all = containers.map(({ resources }) => resources ?? {})
  if (all.every(({ requests, limits }) => !requests && !limits)) return 'BestEffort'
  const isGuaranteed = all.every(
    ({ requests, limits }) => limits && Bun.deepEquals(requests ?? limits, limits),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}
