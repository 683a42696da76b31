import type { NamespaceRow } from './workload.ts'

export const payments: NamespaceRow = {
  name: 'payments',
  team: 'payments',
  environment: 'production',
  workloads: [
    {
      name: 'checkout-web',
      type: 'website',
      history: [
        { hoursAgo: 500.2, tag: '8.0.2', replicas: 3 },
        { hoursAgo: 140.6, tag: '8.0.3' },
      ],
    },
    {
      name: 'ledger',
      type: 'worker',
      sidecarImage: 'ghcr.io/acme/postgres-proxy:2.15.1',
      history: [{ hoursAgo: 333.9, tag: '4.11.6', replicas: 3 }],
    },
    {
      name: 'legacy-billing',
      type: 'worker',
      recreates: true,
      history: [{ hoursAgo: 1_204.4, tag: '3.19.7', replicas: 1 }],
    },
  ],
  jobs: [
    {
      name: 'ledger-nightly-close-29388240',
      component: 'ledger',
      tag: '4.11.6',
      hoursAgo: 9.3,
      args: ['close-day', '--currency=EUR'],
    },
  ],
}

export const shipping: NamespaceRow = {
  name: 'shipping',
  team: 'shipping',
  environment: 'production',
  workloads: [
    {
      name: 'shipping-api',
      type: 'service',
      history: [
        { hoursAgo: 720.8, tag: '5.3.8', replicas: 3 },
        { hoursAgo: 166.1, tag: '5.3.9' },
      ],
    },
    {
      name: 'tracking-web',
      type: 'website',
      history: [{ hoursAgo: 402.2, tag: '3.2.0', replicas: 3 }],
    },
    {
      name: 'carrier-bridge',
      type: 'worker',
      recreates: true,
      history: [{ hoursAgo: 1_630.5, tag: '1.0.14', replicas: 1 }],
    },
  ],
  jobs: [],
}
