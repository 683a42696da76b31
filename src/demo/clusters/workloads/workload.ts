export type Team = 'payments' | 'shipping'

/** What is set at a moment of the past, and stays until it is set again. */
export interface Act {
  readonly hoursAgo: number
  readonly tag?: string
  readonly replicas?: number
  readonly paused?: boolean
}

export interface Workload {
  /** Of the component in the catalog. */
  readonly name: string
  readonly type: 'service' | 'website' | 'worker'
  readonly past: readonly [Act & { tag: string; replicas: number }, ...Act[]]
  /** Images of an init container and of one that goes on beside the others. */
  readonly prepares?: string
  readonly sidecar?: string
  /** One pod ends before the next one begins. */
  readonly alone?: boolean
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
  readonly environment: 'dev' | 'production'
  readonly workloads: readonly Workload[]
  readonly jobs: readonly JobRun[]
}
