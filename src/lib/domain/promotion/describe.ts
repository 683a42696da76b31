import type { Principal } from '../access/principal.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import { type Move, textsOf } from './move.ts'
import type { Stage } from './pipeline.ts'
import type { SecretsRequest } from './secrets.ts'
import { namesOf } from './request-audit.ts'

export interface DescriptionFacts {
  readonly kind: 'promotion' | 'release'
  readonly principal: Pick<Principal, 'name'>
  readonly move: Move
  readonly stage: Pick<Stage, 'environment' | 'lifecycle'>
  /** Whether the lifecycle follows the merge by a confirmation. It has reached the environment of a release, and one that was added later. */
  readonly needsConfirmation: boolean
  /** Free text for the reviewer. */
  readonly message: string
  readonly secrets: SecretsRequest | null
}

export const promotionTitle = ({ team, app, environment }: Omit<Move, 'act'>): string =>
  `[Promote] ${team}/${app} → ${environment}`

/** The texts of a promotion's pull request. */
export function describePromotion(promotion: DescriptionFacts) {
  const { kind, principal, move, stage, needsConfirmation, message, secrets } = promotion
  const isRelease = kind === 'release'
  const { team, app } = move
  const { environment, lifecycle } = stage
  const { secretPath, secretKeys = [] } = namesOf(secrets) ?? {}
  const lines = [
    isRelease
      ? `Changes **${team}/${app}** in ${environment}, where it is live, asked for by ${plain(principal.name)}.`
      : `Takes **${team}/${app}** to ${environment}${needsConfirmation ? ` (lifecycle ${lifecycle})` : ''}, asked for by ${plain(principal.name)}.`,
    '',
    ...(message === '' ? [] : [...quoted(message), '']),
    ...(secretKeys.length === 0
      ? []
      : [`Secrets at \`${secretPath}\`: ${secretKeys.map((key) => `\`${key}\``).join(', ')}`, '']),
    needsConfirmation
      ? 'After it is merged the promotion waits for its confirmation in the portal.'
      : 'It is live once it is merged; there is nothing to confirm.',
  ]
  const summary = isRelease
    ? `release: ${team}/${app} in ${environment}`
    : `promote: ${team}/${app} to ${environment}`
  return textsOf(move, { title: promotionTitle(move), summary, lines })
}
