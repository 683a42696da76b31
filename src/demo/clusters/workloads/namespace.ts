import { type Namespace, newMetadata } from '../objects.ts'

/** The team whose role binding a namespace has. */
export const TEAM_LABEL = 'portico/team'

export function newNamespace(name: string, team: string | null, now: number): Namespace {
  const { namespace: _, generation: __, ...metadata } = newMetadata(name, '', now)
  const labels = {
    'kubernetes.io/metadata.name': name,
    ...(team !== null && { [TEAM_LABEL]: team }),
  }
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { ...metadata, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}
