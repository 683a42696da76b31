import { newMetadata, type Container, type Pod, type PodTemplate } from '../objects.ts'
import { hex } from './hash.ts'
import type { OwnerReference } from './ownership.ts'

export interface PodOrder {
  readonly name: string
  readonly namespace: string
  readonly template: PodTemplate
  readonly owner: OwnerReference
  readonly generateName?: string
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

/** A pod as the API server answers its creation: defaults filled in, on no node yet. */
export function newPod(
  { name, namespace, template, owner, generateName }: PodOrder,
  now: number,
): Pod {
  const { generation: _, ...metadata } = newMetadata(name, namespace, now)
  const { labels, annotations } = template.metadata ?? {}
  const volume = `kube-api-access-${hex(metadata.uid).slice(0, 5)}`
  const mount = { name: volume, readOnly: true, mountPath: TOKEN_PATH }
  const mounted = (container: Container): Container => ({
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
      ...(spec.initContainers && { initContainers: spec.initContainers.map(mounted) }),
      containers: spec.containers.map(mounted),
      serviceAccountName: spec.serviceAccountName ?? 'default',
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      tolerations: [evictedLater('not-ready'), evictedLater('unreachable')],
    },
    status: { phase: 'Pending', qosClass: qosClass(spec.containers) },
  }
}

const sources = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
]

const evictedLater = (problem: string) => ({
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
