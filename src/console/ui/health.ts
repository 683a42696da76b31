import type { components } from '../api/schema.gen.ts'
import { wordOf } from './words.ts'

export type ApplicationHealth = components['schemas']['ApplicationHealth']
export type Verdict = Pick<ApplicationHealth, 'health' | 'reason' | 'message'>

/** As the server ranks them. */
const WORST_FIRST = [
  'Degraded',
  'Unstable',
  'Progressing',
  'Unknown',
  'Suspended',
  'Healthy',
  'Idle',
] as const satisfies readonly Verdict['health'][]

/** The API leaves out clusters that the person may not see. */
const NOT_SHOWN: Verdict = {
  health: 'Unknown',
  reason: 'not_shown',
  message: 'You cannot see the cluster of this environment',
}

interface Named {
  readonly kind: string
  readonly name: string
}

const isSame = (one: Named, other: Named): boolean =>
  one.name === other.name && one.kind.toLowerCase() === other.kind.toLowerCase()

/** The worst verdict on an application in an environment, over all of its clusters. */
export const healthIn = (
  rows: readonly ApplicationHealth[],
  entity: Named,
  environment: string,
): Verdict =>
  worstIn(
    rows.filter((row) => isSame(row.entity, entity)),
    environment,
  ) ?? NOT_SHOWN

export const worstIn = (
  rows: readonly ApplicationHealth[],
  environment: string | undefined,
): ApplicationHealth | undefined => worstOf(rows.filter((row) => row.environment === environment))

export const worstOf = (rows: readonly ApplicationHealth[]): ApplicationHealth | undefined =>
  rows.toSorted((one, other) => rankOf(one) - rankOf(other))[0]

const rankOf = ({ health }: Verdict): number => WORST_FIRST.indexOf(health)

/** The first sentence of a verdict: what follows are words of the cluster, such as those of a registry. */
export const shortMessage = ({ message }: Pick<Verdict, 'message'>): string =>
  message.split('. ')[0] ?? message

/** Somebody has to look at it. */
export const isBroken = ({ health }: Verdict): boolean =>
  health === 'Degraded' || health === 'Unstable'

export const isUnknown = ({ health }: Verdict): boolean => health === 'Unknown'

/** Codes of what cannot be asked. */
const UNKNOWN: ReadonlyMap<string | null, string> = new Map([
  ['not_shown', 'No access'],
  ['cluster_unreachable', 'Cluster unreachable'],
  ['cluster_timeout', 'No answer yet'],
  ['cluster_forbidden', 'No access'],
  ['cluster_unauthorized', 'Sign-in refused'],
  ['too_many_streams', 'Too many to ask'],
  ['NoWorkload', 'Nothing runs there'],
])

/** A verdict in two or three words; `undefined` where all is well. */
export function verdictWords({ health, reason }: Verdict): string | undefined {
  if (health === 'Healthy') return undefined
  if (health === 'Unknown') return UNKNOWN.get(reason) ?? 'Health unknown'
  return wordOf(reason ?? health).label
}
