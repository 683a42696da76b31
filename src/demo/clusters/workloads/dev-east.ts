import type { NamespaceRow } from './workload.ts'

/** Development. Several workloads are broken, each in another way. */

export const paymentsDev: NamespaceRow = {
  name: 'payments-dev',
  team: 'payments',
  environment: 'dev',
  workloads: [
    {
      name: 'checkout-web',
      type: 'website',
      history: [
        { hoursAgo: 312.4, tag: '8.0.3', replicas: 3 },
        { hoursAgo: 26.2, tag: '8.1.0-beta.2' },
      ],
    },
    {
      name: 'payments-api',
      type: 'service',
      history: [
        { hoursAgo: 249.8, tag: '1.5.0-rc.1', replicas: 2 },
        { hoursAgo: 0.42, tag: '1.5.0-rc.3' },
      ],
    },
    {
      name: 'invoice-service',
      type: 'service',
      history: [
        { hoursAgo: 190.1, tag: '2.2.4', replicas: 2 },
        { hoursAgo: 1.3, tag: '2.3.0' },
      ],
    },
    {
      name: 'ledger',
      type: 'worker',
      sidecarImage: 'ghcr.io/acme/postgres-proxy:2.15.1',
      history: [
        { hoursAgo: 402.7, tag: '4.12.0', replicas: 2 },
        { hoursAgo: 29.6, tag: '4.12.1' },
        { hoursAgo: 3.1, paused: true },
      ],
    },
    {
      name: 'legacy-billing',
      type: 'worker',
      graceSeconds: 28_800,
      history: [
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
      history: [{ hoursAgo: 118.5, tag: '5.4.0', replicas: 2 }],
    },
    {
      name: 'tracking-web',
      type: 'website',
      history: [{ hoursAgo: 95.9, tag: '3.2.1', replicas: 1 }],
    },
    {
      name: 'label-printer',
      type: 'worker',
      initImage: 'ghcr.io/acme/wait-for-printers:1.0.2',
      history: [{ hoursAgo: 3.6, tag: '1.9.0', replicas: 1 }],
    },
    {
      name: 'returns-portal',
      type: 'website',
      progressDeadlineSeconds: 7_200,
      history: [
        { hoursAgo: 51.3, tag: '0.7.1', replicas: 1 },
        { hoursAgo: 0.15, tag: '0.7.2' },
      ],
    },
    {
      name: 'carrier-bridge',
      type: 'worker',
      recreates: true,
      history: [{ hoursAgo: 660.2, tag: '1.0.14', replicas: 1 }],
    },
  ],
  jobs: [],
}
