import { pathOf } from '../../paths.ts'

/** A namespace of a cluster. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
}

/** A namespace has a team, and the person has rights in it. */
export interface NamespaceRights {
  readonly canRestart: boolean
  readonly team: string | null
}

const WORKLOADS = /^(?:Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob)$/

interface Named {
  readonly kind: string
  readonly name: string
}

/** Page of something that runs. What owns a pod may be of a kind that has none: then the namespace, with its name as the search. */
export function workloadPath(place: Place, { kind, name }: Named): string {
  if (kind === 'Pod') return pathOf('pod', { ...place, pod: name })
  return WORKLOADS.test(kind)
    ? pathOf('workload', { ...place, kind: kind.toLowerCase(), name })
    : pathOf('namespace', place, { q: name })
}
