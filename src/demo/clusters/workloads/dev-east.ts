import type { NamespaceRow } from './workload.ts'

/** What runs for development; some of it is broken, each in its own way. */

export const paymentsDev: NamespaceRow = {
  name: 'payments-dev',
  team: 'payments',
  environment: 'dev',
  workloads: [
    {
      name: 'checkout-web',
      type: 'website',
      past: [
        { hoursAgo: 312.4, tag: '8.0.3', replicas: 3 },
        { hoursAgo: 26.2, tag: '8.1.0-beta.2' },
      ],
    },
    {
      name: 'payments-api',
      type: 'service',
      past: [
        { hoursAgo: 249.8, tag: '1.5.0-rc.1', replicas: 2 },
        { hoursAgo: 0.42, tag: '1.5.0-rc.3' },
      ],
    },
    {
      name: 'invoice-service',
      type: 'service',
      past: [
        { hoursAgo: 190.1, tag: '2.2.4', replicas: 2 },
        { hoursAgo: 1.3, tag: '2.3.0' },
      ],
    },
    {
      name: 'ledger',
      type: 'worker',
      sidecar: 'ghcr.io/acme/postgres-proxy:2.15.1',
      past: [
        { hoursAgo: 402.7, tag: '4.12.0', replicas: 2 },
        { hoursAgo: 29.6, tag: '4.12.1' },
        { hoursAgo: 3.1, paused: true },
      ],
    },
    {
      name: 'legacy-billing',
      type: 'worker',
      graceSeconds: 28_800,
      past: [
        { hoursAgo: 870.3, tag: '3.20.0', replicas: 1 },
        { hoursAgo: 0.3, replicas: 0 },
      ],
    },
  ],
  jobs: [
    {
      name: 'ledger-nightly-close-29388240',
      component: 'ledger',
      tag: '4.12.1',
      hoursAgo: 9.2,
      args: ['close-day', '--currency=EUR'],
    },
  ],
}

export const shippingDev: NamespaceRow = {
  name: 'shipping-dev',
  team: 'shipping',
  environment: 'dev',
  workloads: [
    {
      name: 'shipping-api',
      type: 'service',
      past: [{ hoursAgo: 118.5, tag: '5.4.0', replicas: 2 }],
    },
    {
      name: 'tracking-web',
      type: 'website',
      past: [{ hoursAgo: 95.9, tag: '3.2.1', replicas: 1 }],
    },
    {
      name: 'label-printer',
      type: 'worker',
      prepares: 'ghcr.io/acme/wait-for-printers:1.0.2',
      past: [{ hoursAgo: 3.6, tag: '1.9.0', replicas: 1 }],
    },
    {
      name: 'returns-portal',
      type: 'website',
      progressDeadlineSeconds: 7_200,
      past: [
        { hoursAgo: 51.3, tag: '0.7.1', replicas: 1 },
        { hoursAgo: 0.15, tag: '0.7.2' },
      ],
    },
    {
      name: 'carrier-bridge',
      type: 'worker',
      alone: true,
      past: [{ hoursAgo: 660.2, tag: '1.0.14', replicas: 1 }],
    },
  ],
  jobs: [],
}
