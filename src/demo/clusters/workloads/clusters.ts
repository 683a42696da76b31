import { paymentsDev, shippingDev } from './dev-east.ts'
import { payments, shipping } from './prod-west.ts'
import { paymentsStaging, shippingStaging } from './staging.ts'
import type { NamespaceRow } from './workload.ts'

/** The workloads of each cluster. Names, tags and replicas are those of the overlays of the seeded gitops repository. */
export const clusters = {
  'dev-east': [paymentsDev, shippingDev, paymentsStaging, shippingStaging],
  'prod-west': [payments, shipping],
} as const satisfies Record<string, readonly NamespaceRow[]>
