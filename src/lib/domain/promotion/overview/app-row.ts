import type { AppName, TeamName } from '../../../names.ts'
import type { CatalogEntity } from '../../catalog/snapshot.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import { type EnvironmentPhase, phaseOf } from '../decide.ts'
import type { Lifecycle, Pipeline, Stage } from '../pipeline.ts'
import { progressFrom } from '../progress.ts'
import type { AppFolder } from './app-folder.ts'
import { openPull, type ProposedMove } from '../pulls.ts'

/** An entity and its application in every environment. */
export interface AppRow {
  readonly entity: CatalogEntity
  readonly team: TeamName
  readonly app: AppName
  readonly lifecycle: Lifecycle
  readonly states: ReadonlyMap<Stage, EnvironmentPhase>
  /** Parsed when somebody asks. */
  readonly environments: () => readonly AppEnvironment[]
  /** Differs between rows whose answers differ. */
  readonly version: string
}

export interface AppEnvironment {
  readonly stage: Stage
  /** Never `pr_closed`: to look for closed pull requests takes a request to the git host for each application. */
  readonly state: EnvironmentPhase
  readonly image: Image | null
  /** The open pull request. */
  readonly pullRequest: number | null
  /** The nearest live environment before this one, if this one is live too and runs another image. */
  readonly behind: Stage | null
}

export const statesOf = (
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  { stages }: Pick<AppFolder, 'stages'>,
  moves: readonly ProposedMove[],
): AppRow['states'] =>
  new Map(
    pipeline.stages.map((stage) => {
      const progress = progressFrom(stages.has(stage), openPull(moves, stage)?.number)
      return [stage, phaseOf(pipeline, lifecycle, stage, progress)]
    }),
  )

export function environmentsOf(
  states: AppRow['states'],
  images: ReadonlyMap<Stage, Image | null>,
  moves: readonly ProposedMove[],
): readonly AppEnvironment[] {
  let before: Pick<AppEnvironment, 'stage' | 'image'> | undefined
  return [...states].map(([stage, state]): AppEnvironment => {
    const image = images.get(stage) ?? null
    // Without an image of its own an environment runs that of the base, which says nothing about others.
    const isCompared = state === 'live' && !isUntagged(image)
    const isBehind = isCompared && before !== undefined && !isSame(image, before.image)
    const behind = isBehind ? (before?.stage ?? null) : null
    if (isCompared) before = { stage, image }
    return { stage, state, image, pullRequest: openPull(moves, stage)?.number ?? null, behind }
  })
}

/** A tag with a digest and the same tag without one are taken for the same image. */
const isSame = (image: Image | null, other: Image | null): boolean =>
  image?.digest != null && other?.digest != null
    ? image.digest === other.digest
    : image?.tag === other?.tag
