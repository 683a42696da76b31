import { FRAUD_SIGNALS, PAYMENTS_HTTP } from './definitions.ts'
import type { ComponentRow, EntityRow } from './entity.ts'

export const SYSTEM = 'checkout'

export const components = [
  {
    name: 'fraud-scoring',
    title: 'Fraud scoring',
    description:
      'Scores a payment attempt within 50 ms; a trial for card payments in two countries',
    type: 'service',
    lifecycle: 'experimental',
    tags: ['python', 'machine-learning'],
    consumes: ['fraud-signals'],
    dependsOn: ['resource:payments-events'],
    deployed: {},
  },
  {
    name: 'payments-api',
    title: 'Payments API',
    description: 'Takes payments by card and bank transfer',
    type: 'service',
    lifecycle: 'development',
    tags: ['bun', 'http', 'pci'],
    provides: ['payments-http'],
    dependsOn: ['resource:payments-db', 'resource:payments-events'],
    deployed: { dev: '1.5.0-rc.3' },
  },
  {
    name: 'invoice-service',
    title: 'Invoice service',
    description: 'Renders invoices and credit notes as PDF and sends them by mail',
    type: 'service',
    lifecycle: 'staging',
    tags: ['go', 'pdf'],
    consumes: ['payments-http'],
    dependsOn: ['resource:payments-db'],
    deployed: { dev: '2.3.0', staging: '2.2.4' },
  },
  {
    name: 'checkout-web',
    title: 'Checkout',
    description: 'The checkout pages of the shop: basket, address, payment',
    type: 'website',
    lifecycle: 'production',
    tags: ['typescript', 'react'],
    consumes: ['payments-http', 'shipping-http'],
    deployed: { dev: '8.1.0-beta.2', staging: '8.0.3', production: '8.0.3' },
  },
  {
    name: 'ledger',
    title: 'Ledger',
    description: 'Double-entry bookkeeping of all payments; the source of all reports',
    type: 'worker',
    lifecycle: 'production',
    tags: ['go', 'postgres', 'pci'],
    provides: ['ledger-http'],
    dependsOn: ['resource:payments-db', 'resource:payments-events'],
    annotations: { 'portico/repository': 'acme/ledger' },
    deployed: { dev: '4.12.1', staging: '4.12.0', production: '4.11.6' },
  },
] as const satisfies readonly ComponentRow[]

const LEGACY_BILLING = {
  name: 'legacy-billing',
  title: 'Billing (old)',
  description: 'Nightly billing run, replaced by invoice-service',
  type: 'worker',
  tags: ['java'],
  dependsOn: ['resource:payments-db'],
  deployed: { dev: '3.20.0', staging: '3.19.7', production: '3.19.7' },
} as const

/** The same component before and after its deprecation. */
export const billing = {
  inProduction: { ...LEGACY_BILLING, lifecycle: 'production' },
  deprecated: {
    ...LEGACY_BILLING,
    lifecycle: 'deprecated',
    annotations: {
      'portico/deprecated-reason':
        'Invoices are created when an order is placed, no longer at night',
      'portico/deprecated-replaced-by': 'component:invoice-service',
    },
  },
} as const satisfies Record<string, ComponentRow>

export const entities = [
  {
    kind: 'Group',
    name: 'payments',
    title: 'Payments',
    description: 'Everything between the basket and the bank',
    spec: { type: 'team', profile: { email: 'payments@acme.example' }, children: [] },
  },
  {
    kind: 'System',
    name: SYSTEM,
    title: 'Checkout',
    description: 'Turns a basket into a paid order',
    spec: { domain: 'commerce' },
  },
  {
    kind: 'API',
    name: 'payments-http',
    title: 'Payments over HTTP',
    description: 'Create, capture and refund payments',
    tags: ['rest'],
    spec: {
      type: 'openapi',
      lifecycle: 'production',
      system: SYSTEM,
      definition: PAYMENTS_HTTP,
    },
  },
  {
    kind: 'API',
    name: 'ledger-http',
    title: 'Ledger queries',
    description: 'Balances and movements, read only',
    tags: ['rest'],
    spec: {
      type: 'openapi',
      lifecycle: 'production',
      system: SYSTEM,
      definition: 'openapi: 3.1.0',
    },
  },
  {
    kind: 'API',
    name: 'fraud-signals',
    title: 'Fraud signals',
    description: 'Events about suspicious payment attempts',
    tags: ['events'],
    spec: {
      type: 'asyncapi',
      lifecycle: 'experimental',
      system: SYSTEM,
      definition: FRAUD_SIGNALS,
    },
  },
  {
    kind: 'Resource',
    name: 'payments-db',
    title: 'Payments database',
    description: 'PostgreSQL 17, two zones, point-in-time recovery for 35 days',
    tags: ['postgres', 'pci'],
    spec: { type: 'database', lifecycle: 'production', system: SYSTEM },
  },
  {
    kind: 'Resource',
    name: 'payments-events',
    title: 'Payment events',
    description: 'Kafka topic with one event per change of a payment',
    tags: ['kafka'],
    spec: { type: 'topic', lifecycle: 'production', system: SYSTEM },
  },
] as const satisfies readonly EntityRow[]
