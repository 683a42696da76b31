export type Team = 'payments' | 'shipping'

/** Resources of the containers of an application by environment, in the clusters and in the overlays of the gitops repository. */
export const sizes = {
  dev: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '250m', memory: '128Mi' } },
  staging: { requests: { cpu: '200m', memory: '256Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  production: { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
} as const

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
  readonly environment: keyof typeof sizes
  readonly workloads: readonly Workload[]
  readonly jobs?: readonly JobRun[]
  /** Has an object of each other kind. */
  readonly hasFixed?: true
}

const first = (hoursAgo: number, tag: string, replicas: number) => ({ hoursAgo, tag, replicas })
const then = (hoursAgo: number, tag: string) => ({ hoursAgo, tag })

const PROXY = 'ghcr.io/acme/postgres-proxy:2.15.1'
const nightlyClose = (tag: string, hoursAgo: number): JobRun => ({
  name: 'ledger-nightly-close-29388240',
  component: 'ledger',
  tag,
  hoursAgo,
  args: ['close-day', '--currency=EUR'],
})

/** The workloads of both clusters. Names, tags and replicas are those of the overlays of the seeded gitops repository. */
export const clusters: Readonly<Record<'dev-east' | 'prod-west', readonly NamespaceRow[]>> = {
  'dev-east': [
    // Several workloads of development are broken, each in another way.
    {
      name: 'payments-dev',
      team: 'payments',
      environment: 'dev',
      workloads: [
        { name: 'checkout-web', history: [first(312.4, '8.0.3', 3), then(26.2, '8.1.0-beta.2')] },
        {
          name: 'payments-api',
          history: [first(249.8, '1.5.0-rc.1', 2), then(0.42, '1.5.0-rc.3')],
        },
        { name: 'invoice-service', history: [first(190.1, '2.2.4', 2), then(1.3, '2.3.0')] },
        {
          name: 'ledger',
          sidecarImage: PROXY,
          history: [
            first(402.7, '4.12.0', 2),
            then(29.6, '4.12.1'),
            { hoursAgo: 3.1, paused: true },
          ],
        },
        {
          name: 'legacy-billing',
          graceSeconds: 28_800,
          history: [first(870.3, '3.20.0', 1), { hoursAgo: 0.3, replicas: 0 }],
        },
      ],
      jobs: [nightlyClose('4.12.1', 9.2)],
      hasFixed: true,
    },
    {
      name: 'shipping-dev',
      team: 'shipping',
      environment: 'dev',
      workloads: [
        { name: 'shipping-api', history: [first(118.5, '5.4.0', 2)] },
        { name: 'tracking-web', history: [first(95.9, '3.2.1', 1)] },
        {
          name: 'label-printer',
          initImage: 'ghcr.io/acme/wait-for-printers:1.0.2',
          history: [first(3.6, '1.9.0', 1)],
        },
        {
          name: 'returns-portal',
          progressDeadlineSeconds: 7_200,
          history: [first(51.3, '0.7.1', 1), then(0.15, '0.7.2')],
        },
        { name: 'carrier-bridge', recreates: true, history: [first(660.2, '1.0.14', 1)] },
      ],
    },
    // Staging is beside development in the same cluster, and all is well.
    {
      name: 'payments-staging',
      team: 'payments',
      environment: 'staging',
      workloads: [
        { name: 'checkout-web', history: [first(164.3, '8.0.3', 2)] },
        { name: 'invoice-service', history: [first(214.6, '2.2.4', 2)] },
        { name: 'ledger', sidecarImage: PROXY, history: [first(345.8, '4.12.0', 2)] },
        { name: 'legacy-billing', recreates: true, history: [first(1_206.2, '3.19.7', 1)] },
      ],
    },
    {
      name: 'shipping-staging',
      team: 'shipping',
      environment: 'staging',
      workloads: [
        { name: 'shipping-api', history: [first(93.1, '5.4.0', 2)] },
        { name: 'tracking-web', history: [first(71.4, '3.2.1', 2)] },
        { name: 'label-printer', history: [first(233.7, '1.8.2', 1)] },
        { name: 'carrier-bridge', recreates: true, history: [first(1_633.2, '1.0.14', 1)] },
      ],
    },
  ],
  'prod-west': [
    {
      name: 'payments',
      team: 'payments',
      environment: 'production',
      workloads: [
        { name: 'checkout-web', history: [first(500.2, '8.0.2', 3), then(140.6, '8.0.3')] },
        { name: 'ledger', sidecarImage: PROXY, history: [first(333.9, '4.11.6', 3)] },
        { name: 'legacy-billing', recreates: true, history: [first(1_204.4, '3.19.7', 1)] },
      ],
      jobs: [nightlyClose('4.11.6', 9.3)],
    },
    {
      name: 'shipping',
      team: 'shipping',
      environment: 'production',
      workloads: [
        { name: 'shipping-api', history: [first(720.8, '5.3.8', 3), then(166.1, '5.3.9')] },
        { name: 'tracking-web', history: [first(402.2, '3.2.0', 3)] },
        { name: 'carrier-bridge', recreates: true, history: [first(1_630.5, '1.0.14', 1)] },
      ],
    },
  ],
}
