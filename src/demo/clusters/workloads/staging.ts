import type { NamespaceRow } from './workload.ts'

/** Staging, beside development in the same cluster. Everything is well. */

export const paymentsStaging: NamespaceRow = {
  name: 'payments-staging',
  team: 'payments',
  environment: 'staging',
  workloads: [
    {
      name: 'checkout-web',
      type: 'website',
      history: [{ hoursAgo: 164.3, tag: '8.0.3', replicas: 2 }],
    },
    {
      name: 'invoice-service',
      type: 'service',
      history: [{ hoursAgo: 214.6, tag: '2.2.4', replicas: 2 }],
    },
    {
      name: 'ledger',
      type: 'worker',
      sidecarImage: 'ghcr.io/acme/postgres-proxy:2.15.1',
      history: [{ hoursAgo: 345.8, tag: '4.12.0', replicas: 2 }],
    },
    {
      name: 'legacy-billing',
      type: 'worker',
      recreates: true,
      history: [{ hoursAgo: 1_206.2, tag: '3.19.7', replicas: 1 }],
    },
  ],
  jobs: [],
}

export const shippingStaging: NamespaceRow = {
  name: 'shipping-staging',
  team: 'shipping',
  environment: 'staging',
  workloads: [
    {
      name: 'shipping-api',
      type: 'service',
      history: [{ hoursAgo: 93.1, tag: '5.4.0', replicas: 2 }],
    },
    {
      name: 'tracking-web',
      type: 'website',
      history: [{ hoursAgo: 71.4, tag: '3.2.1', replicas: 2 }],
    },
    {
      name: 'label-printer',
      type: 'worker',
      history: [{ hoursAgo: 233.7, tag: '1.8.2', replicas: 1 }],
    },
    {
      name: 'carrier-bridge',
      type: 'worker',
      recreates: true,
      history: [{ hoursAgo: 1_633.2, tag: '1.0.14', replicas: 1 }],
    },
  ],
  jobs: [],
}
