import type { AppName, TeamName } from '../../../names.ts'
import type { CatalogEntity } from '../../catalog/snapshot.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import { type EnvironmentPhase, phaseOf } from '../decide.ts'
import type { Lifecycle, Pipeline, Stage } from '../pipeline.ts'
import { progressFrom } from '../progress.ts'
import type { AppFolder } from './app-folder.ts'
import type { ProposedMove } from './proposed-move.ts'

/** An entity and its application in every environment. */
export interface AppRow {
  readonly entity: CatalogEntity
  readonly team: TeamName
  readonly app: AppName
  readonly lifecycle: Lifecycle
  readonly environments: readonly AppEnvironment[]
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

export function environmentsOf(
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  { images }: Pick<AppFolder, 'images'>,
  moves: readonly ProposedMove[],
): readonly AppEnvironment[] {
  let before: Pick<AppEnvironment, 'stage' | 'image'> | undefined
  return pipeline.stages.map((stage): AppEnvironment => {
    const open = moves.find((move) => move.act === 'promote' && move.stage === stage)
    const progress = progressFrom(images.has(stage), open?.pull.number)
    const state = phaseOf(pipeline, lifecycle, stage, progress)
    const image = images.get(stage) ?? null
    // Without an image of its own an environment runs that of the base, which says nothing about others.
    const isCompared = state === 'live' && !isUntagged(image)
    const isBehind = isCompared && before !== undefined && !isSame(image, before.image)
    const behind = isBehind ? (before?.stage ?? null) : null
    if (isCompared) before = { stage, image }
    return { stage, state, image, pullRequest: open?.pull.number ?? null, behind }
  })
}

/** A tag with a digest and the same tag without one are taken for the same image. */
const isSame = (image: Image | null, other: Image | null): boolean =>
  image?.digest != null && other?.digest != null
    ? image.digest === other.digest
    : image?.tag === other?.tag

export function appRow(row: Omit<AppRow, 'version'>): AppRow {
  const { entity, team, app, lifecycle, environments } = row
  const { kind, name, title, system } = entity.card
  const ofStages = environments.map(({ stage, state, image, pullRequest, behind }) => [
    stage.environment,
    state,
    image,
    pullRequest,
    behind?.environment,
  ])
  const shown = [kind, name, title, system, team, app, lifecycle, ofStages]
  return { ...row, version: JSON.stringify(shown) }
}
