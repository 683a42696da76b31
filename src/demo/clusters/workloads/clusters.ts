import { paymentsDev, shippingDev } from './dev-east.ts'
import { payments, shipping } from './prod-west.ts'
import type { NamespaceRow } from './workload.ts'

/** What runs where. Names and tags are those of the catalog and of its overlays. */
export const clusters = {
  'dev-east': [paymentsDev, shippingDev],
  'prod-west': [payments, shipping],
} as const satisfies Record<string, readonly NamespaceRow[]>
