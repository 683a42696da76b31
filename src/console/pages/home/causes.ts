import { type ApplicationHealth, isBroken } from '../../ui/health.ts'
import { type EntityAct, type PromotionState, refusalOf } from '../entity/acts/acts-of.ts'

/** The environment nearest to customers first, then what broke last. */
export const brokenIn = (
  rows: readonly ApplicationHealth[],
  environments: readonly string[],
): readonly ApplicationHealth[] =>
  rows
    .filter(isBroken)
    .toSorted(
      (one, other) =>
        environments.indexOf(other.environment) - environments.indexOf(one.environment) ||
        one.health.localeCompare(other.health) ||
        (other.since ?? '').localeCompare(one.since ?? ''),
    )

/** The last change of what runs there. */
export interface Change {
  /** `began`: what is broken broke right after it. */
  readonly kind: 'began' | 'last'
  readonly version: string | undefined
  readonly at: string
  readonly by: string | undefined
}

/** A rollout takes minutes, and its pods may crash a while later. */
const BEGAN_WITHIN_MS = 60 * 60 * 1_000

export function changeBefore(
  { environment, since }: Pick<ApplicationHealth, 'environment' | 'since'>,
  { environments }: Pick<PromotionState, 'environments'>,
): Change | undefined {
  const found = environments.find(({ name }) => name === environment)
  if (found === undefined || found.deployedAt === null) return undefined
  const { deployedAt: at, deployedBy, image } = found
  const afterMs = since === null ? Infinity : Date.parse(since) - Date.parse(at)
  return {
    kind: afterMs >= 0 && afterMs <= BEGAN_WITHIN_MS ? 'began' : 'last',
    version: image?.tag ?? undefined,
    at,
    by: deployedBy?.name,
  }
}

/** Environments that broke with their last release, where the person may take it back. */
export const undoable = (
  rows: readonly ApplicationHealth[],
  promotion: Pick<PromotionState, 'acts' | 'environments'>,
): PromotionState['environments'] =>
  promotion.environments.filter(({ name, pullRequest }) => {
    const broke = rows.some(
      (row) =>
        row.environment === name && isBroken(row) && changeBefore(row, promotion)?.kind === 'began',
    )
    const act = promotion.acts.find((each) => each.do === 'rollback' && each.environment === name)
    return broke && pullRequest === null && act?.allowed === true
  })

/** Finds what is broken in its namespace: the workload that the verdict names, where an application has several. */
export const searchFor = ({ entity, message }: Pick<ApplicationHealth, 'entity' | 'message'>) =>
  /^[A-Z]\w+ ([a-z0-9][a-z0-9.-]*): /.exec(message)?.[1] ?? entity.name

const IMAGE_REASONS: ReadonlySet<string | null> = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
])

/** The act that mends it: another image where there is none, else the former one. A refused act says who may. */
export function mendingAct(
  { environment, reason }: Pick<ApplicationHealth, 'environment' | 'reason'>,
  { acts }: Pick<PromotionState, 'acts'>,
): EntityAct | undefined {
  const first = IMAGE_REASONS.has(reason) ? 'release' : 'rollback'
  const there = acts.filter(
    (act) => act.environment === environment && (act.do === 'release' || act.do === 'rollback'),
  )
  const ordered = there.toSorted((one, other) => rank(one, first) - rank(other, first))
  return ordered[0]
}

const rank = (act: EntityAct, first: EntityAct['do']): number =>
  (refusalOf(act) === null ? 0 : 2) + (act.do === first ? 0 : 1)
