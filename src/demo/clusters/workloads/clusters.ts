import type { Behaviours } from '../control/behaviour.ts'
import { paymentsDev, shippingDev } from './dev-east.ts'
import { payments, shipping } from './prod-west.ts'
import type { NamespaceRow } from './workload.ts'

/** The workloads of each cluster. Names and tags match the catalog and the overlays of the seeded gitops repository. */
export const clusters = {
  'dev-east': [paymentsDev, shippingDev],
  'prod-west': [payments, shipping],
} as const satisfies Record<string, readonly NamespaceRow[]>

/** Images whose containers do not simply run. */
export const behaviours: Behaviours = {
  'ghcr.io/acme/payments-api:1.5.0-rc.3': { does: 'run_out_of_memory', afterSteps: 22 },
  'ghcr.io/acme/invoice-service:2.3.0': { does: 'fail_to_pull' },
  'ghcr.io/acme/returns-portal:0.7.2': { does: 'fail_probe' },
  'ghcr.io/acme/wait-for-printers:1.0.2': { does: 'serve' },
  'ghcr.io/acme/legacy-billing:3.20.0': { does: 'linger' },
}
