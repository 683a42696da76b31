import { newMetadata, type Pod, type PodTemplate } from '../objects.ts'
import type { OwnerReference } from './ownership.ts'

export interface NewPodOptions {
  readonly name: string
  readonly namespace: string
  readonly template: PodTemplate
  readonly owner: OwnerReference
  readonly generateName?: string
}

/** A created pod that is not scheduled yet. */
export function newPod(
  { name, namespace, template, owner, generateName }: NewPodOptions,
  now: number,
): Pod {
  const { generation: _, ...metadata } = newMetadata(name, namespace, now)
  const { labels, annotations } = template.metadata ?? {}
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
    spec: template.spec ?? { containers: [] },
    status: { phase: 'Pending' },
  }
}
