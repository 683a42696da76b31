import type { Placement } from '../clusters/runs-on.ts'
import type { PromotionState } from './permitted-state.ts'

/** The environments of an application with the namespaces that their overlays name. */
export const placementsOf = ({
  subject: { eligibility },
  environments,
}: PromotionState): readonly Placement[] =>
  eligibility.kind === 'promotable'
    ? environments.map(({ stage: { environment }, overlay }) => ({
        environment,
        team: eligibility.team,
        app: eligibility.app,
        namespace: overlay?.namespace ?? null,
      }))
    : []
