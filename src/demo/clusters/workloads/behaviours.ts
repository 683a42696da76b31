import type { Behaviours } from '../control/behaviour.ts'

/** Images that do not do what one expects of them. */
export const behaviours: Behaviours = {
  'ghcr.io/acme/payments-api:1.5.0-rc.3': { does: 'run_out_of_memory', afterSteps: 22 },
  'ghcr.io/acme/invoice-service:2.3.0': { does: 'fail_to_pull' },
  'ghcr.io/acme/returns-portal:0.7.2': { does: 'fail_probe' },
  'ghcr.io/acme/wait-for-printers:1.0.2': { does: 'serve' },
  'ghcr.io/acme/legacy-billing:3.20.0': { does: 'linger' },
}
