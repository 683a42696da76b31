import type { components } from '../../api/schema.gen.ts'

export type Promotion = components['schemas']['PromotionState']
export type Environment = Promotion['environments'][number]
export type PullRequest = Promotion['pullRequests'][number]
export type Image = NonNullable<Environment['image']>
type Config = Environment['config']

/** A setting that an open pull request would change. `null`: it is not set. */
export interface Change {
  readonly label: string
  readonly before: string | null
  readonly after: string | null
}

export const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The step of an environment that has to come first, or next, when there is something to say. */
export function noteOf(
  { environments, next, confirm }: Promotion,
  { name, state, pullRequest, lifecycle }: Environment,
): string | null {
  const at = environments.findIndex((each) => each.name === name)
  const nextAt = environments.findIndex((each) => each.name === next?.environment)
  const before = environments[at - 1]
  switch (state) {
    case 'none':
      if (next === null || at < nextAt) return 'The lifecycle has passed it'
      return before === undefined ? 'Not proposed yet' : `After ${before.name}`
    case 'pr_closed':
      return `#${pullRequest} was closed without a merge`
    case 'ready_to_confirm':
      return confirm.targetLifecycle === lifecycle && confirm.pullRequest !== null
        ? `Merged; #${confirm.pullRequest} moves the lifecycle`
        : 'Merged; confirm it'
    case 'pr_open':
    case 'live':
      return null
  }
}

/** Settings of an overlay, in the words of Kubernetes. */
function settingsOf({ replicas, resources, database, ingress }: Config) {
  const all: readonly (readonly [string, string | undefined])[] = [
    ['Replicas', replicas?.toString()],
    ['Requests', quantities(resources?.requests)],
    ['Limits', quantities(resources?.limits)],
    ['Database', database && databaseWords(database)],
    ['Host', ingress?.host],
  ]
  return all.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
}

const quantities = (given: { readonly cpu?: string; readonly memory?: string } | undefined) =>
  [given?.cpu, given?.memory].filter((part) => part !== undefined).join(' · ') || undefined

const databaseWords = ({ tier, name }: NonNullable<Config['database']>): string =>
  name === undefined ? tier : `${tier}, ${name}`

type Overlay = Pick<Environment, 'image' | 'config'>

/** Differences between what runs and what an open pull request proposes. */
export function changesOf(before: Overlay, after: Overlay): readonly Change[] {
  const one = valuesOf(before)
  const other = valuesOf(after)
  return [...new Set([...one.keys(), ...other.keys()])]
    .map((label) => ({
      label,
      before: one.get(label) ?? null,
      after: other.get(label) ?? null,
    }))
    .filter((change) => change.before !== change.after)
}

const valuesOf = ({ image, config }: Overlay): ReadonlyMap<string, string> =>
  new Map([
    ...(image === null ? [] : [['Image', versionOf(image)] as const]),
    ...settingsOf(config),
  ])

/** Characters of a digest that people compare. */
const DIGEST_SHOWN = 12

export const shortDigest = (digest: string): string => {
  const [algorithm = '', hex] = digest.split(':')
  return hex === undefined ? digest : `${algorithm}:${hex.slice(0, DIGEST_SHOWN)}`
}

/** The tag in full, for nobody can guess a part of it; else the beginning of the digest. */
export const versionOf = ({ tag, digest }: Pick<Image, 'tag' | 'digest'>): string =>
  tag ?? (digest === null ? 'untagged' : shortDigest(digest))

/** The whole reference, to be copied: `ghcr.io/acme/shop:1.2.0@sha256:…`. */
export const referenceOf = ({ name, tag, digest }: Image): string =>
  `${name ?? ''}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`

const REASONS: Readonly<Record<string, string>> = {
  application_missing:
    'The gitops repository has no application of this name in the folder of its team.',
  owner_missing: 'It has no owner. Set spec.owner to a group, such as group:acme/payments.',
  owner_invalid: 'Its owner is no group. Set spec.owner to one, such as group:acme/payments.',
  owner_foreign: 'Its owner belongs to another organisation.',
  name_unusable: 'Its name cannot be the name of an application.',
  lifecycle_unknown: 'Its lifecycle is unknown. Set spec.lifecycle to one such as experimental.',
}

/** Why the entity cannot be promoted; null when it can. */
export function refusalOf({ promotable, reason, missing }: Promotion): string | null {
  if (promotable) return null
  if (missing !== undefined) return `It cannot be promoted: ${missing}.`
  return REASONS[reason ?? ''] ?? `It cannot be promoted: ${reason ?? 'no reason is given'}.`
}

/** Drift that is news. An overlay that waits to be confirmed is drift too, of which its stage speaks already. */
export const driftOf = ({ drift }: Promotion): Promotion['drift'] =>
  drift.filter(({ code }) => code !== 'lifecycle_behind_overlay')

/** The next step, in the bar below the stages. */
export function nextWords(promotion: Promotion): string {
  const { lifecycle, next, confirm, environments, pullRequests } = promotion
  if (confirm.available && confirm.targetLifecycle !== null) {
    return `Merged. Confirm moves it to ${confirm.targetLifecycle}.`
  }
  if (next === null) {
    return lifecycle === 'deprecated'
      ? 'Deprecated: no more promotions.'
      : `In ${environments.at(-1)?.name ?? 'the last environment'}.`
  }
  const stage = environments.find(({ name }) => name === next.environment)
  if (stage?.state === 'ready_to_confirm' && confirm.pullRequest !== null) {
    return `#${confirm.pullRequest} waits for its merge, which moves it to ${next.targetLifecycle}.`
  }
  const pending = pullRequests.find(({ environment }) => environment === next.environment)
  if (pending !== undefined) {
    return `#${pending.number} waits for its merge; confirm comes after.`
  }
  return `Next: a pull request for ${next.environment}.`
}
