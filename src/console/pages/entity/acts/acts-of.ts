import type { AnswerOf } from '../../../api/call.ts'

export type PromotionState = AnswerOf<'get', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
export type Environment = PromotionState['environments'][number]
/** An act of the promotion state: the server allows it, or says why not. */
export type EntityAct = PromotionState['acts'][number]

/** Why an act is refused; null when it can be done. */
export const refusalOf = ({ allowed, message }: EntityAct): string | null =>
  allowed ? null : message

export function labelOf({ do: what, environment }: EntityAct): string {
  switch (what) {
    case 'promote':
      return `Promote to ${environment}…`
    case 'release':
      return `Release to ${environment}…`
    case 'update':
      return environment === null ? 'Update the deprecation…' : 'Update the pull request…'
    case 'rollback':
      return 'Roll back…'
    case 'confirm':
      return `Confirm ${environment}`
    case 'deprecate':
      return 'Deprecate…'
  }
}

/** Acts by their place on the page. */
export interface PlacedActs {
  /** Below the pipeline: the way to the next environment. The last one is the main act. */
  readonly next: readonly EntityAct[]
  /** In the stage of an environment. */
  readonly inStage: (environment: string) => readonly EntityAct[]
  /** In the menu of the head. */
  readonly inMenu: readonly EntityAct[]
}

/** Acts whose turn has not come are told in answer to their address, and have no place on the page. */
export function placeActs({ acts, next }: Pick<PromotionState, 'acts' | 'next'>): PlacedActs {
  const shown = acts.filter(({ reason }) => reason === null || !EARLY.has(reason))
  const onWay = shown
    .filter((act) => act.environment !== null && act.environment === next?.environment)
    .toSorted((one, other) => Number(other.do === 'confirm') - Number(one.do === 'confirm'))
  return {
    next: onWay,
    inStage: (environment) =>
      shown.filter((act) => act.environment === environment && !onWay.includes(act)),
    inMenu: shown.filter((act) => act.environment === null),
  }
}

const EARLY: ReadonlySet<string> = new Set(['invalid_transition', 'overlay_missing', 'pr_closed'])

export type Asked =
  | { readonly kind: 'act'; readonly act: EntityAct }
  | { readonly kind: 'refused'; readonly title: string; readonly why: string }

/** The act that an address names, or why it cannot be done now. An address outlives the opening of a pull request: `update` takes its place. */
export function askedAct(
  { acts, entity, environments }: PromotionState,
  asked: { readonly do: string; readonly environment: string | null },
): Asked {
  const there = acts.filter(({ environment }) => environment === asked.environment)
  const inPlace = asked.environment === null ? [...there, ...acts] : there
  const meant = inPlace.filter((each) => each.do === asked.do || updates(each, asked.do))
  const act = meant.find(({ allowed }) => allowed) ?? meant[0]
  if (act === undefined) {
    const names = environments.map(({ name }) => name)
    const isKnown = asked.environment === null || names.some((name) => name === asked.environment)
    const absent = `${entity.name} has no environment “${asked.environment}”. It has: ${names.join(', ') || 'none'}.`
    return { kind: 'refused', title: 'This cannot be done now', why: isKnown ? NOT_NOW : absent }
  }
  return act.allowed
    ? { kind: 'act', act }
    : { kind: 'refused', title: labelOf(act).replace(/…$/, ''), why: act.message }
}

const updates = (act: EntityAct, what: string): boolean =>
  act.do === 'update' && (act.environment === null ? what === 'deprecate' : isProposal(what))
const isProposal = (what: string): boolean => what === 'promote' || what === 'release'

const NOT_NOW = 'The versions on this page show what is possible.'

export interface ActsProps {
  readonly kind: string
  readonly name: string
  /** Nothing is shown before it is there. */
  readonly state: PromotionState | undefined
}

export interface OpenActProps extends ActsProps {
  readonly state: PromotionState
  readonly asked: {
    readonly do: string
    readonly environment: string | null
    /** Commit of the row of the history to go back to. */
    readonly to: string | null
    /** Tag of the version to bring. */
    readonly version: string | null
  }
  readonly close: () => void
}
