import type { EntityAct } from './acts/acts-of.ts'

/** Acts by their place on the page. */
export interface PlacedActs {
  /** Below the pipeline: the way to the next environment. The last one is the main act. */
  readonly next: readonly EntityAct[]
  /** In the stage of an environment. */
  readonly inStage: (environment: string) => readonly EntityAct[]
  /** In the menu of the head. */
  readonly inMenu: readonly EntityAct[]
}

/** `next`: the next environment. While its pull request is open it can still be changed, and only afterwards be confirmed. */
export function placeActs(acts: readonly EntityAct[], next: string | undefined): PlacedActs {
  const ofNext = acts.filter(({ environment }) => environment === next)
  const onWay = (['confirm', 'promote'] as const).flatMap((what) =>
    ofNext.filter((act) => act.do === what),
  )
  return {
    next: onWay,
    inStage: (environment) =>
      acts.filter((act) => act.environment === environment && !onWay.includes(act)),
    inMenu: acts.filter((act) => act.environment === null),
  }
}

/** The reasons for which acts are refused, each once. */
export const reasonsOf = (acts: readonly EntityAct[]): readonly string[] => [
  ...new Set(acts.flatMap(({ reason }) => (reason === null ? [] : [reason]))),
]
