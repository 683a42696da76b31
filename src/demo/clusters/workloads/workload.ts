export type Team = 'payments' | 'shipping'

/** Sets these members of a deployment at a time; members that are absent keep their values. */
export interface DeploymentChange {
  readonly hoursAgo: number
  readonly tag?: string
  readonly replicas?: number
  readonly paused?: boolean
}

export interface Workload {
  /** Name of the component in the catalog. */
  readonly name: string
  readonly type: 'service' | 'website' | 'worker'
  readonly history: readonly [
    DeploymentChange & { tag: string; replicas: number },
    ...DeploymentChange[],
  ]
  /** Image of an init container. */
  readonly initImage?: string
  readonly sidecarImage?: string
  /** Has the strategy `Recreate`. */
  readonly recreates?: boolean
  readonly graceSeconds?: number
  readonly progressDeadlineSeconds?: number
}

/** A pod of a Job that ran once. */
export interface JobRun {
  readonly name: string
  readonly component: string
  readonly tag: string
  readonly hoursAgo: number
  readonly args: readonly string[]
}

export interface NamespaceRow {
  readonly name: string
  readonly team: Team
  readonly environment: 'dev' | 'staging' | 'production'
  readonly workloads: readonly Workload[]
  readonly jobs: readonly JobRun[]
}
