import { lazily } from '../../../concurrency/lazily.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import type { EnvironmentName, RepositoryId } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import type { CatalogEntity, Snapshot } from '../../catalog/snapshot.ts'
import { type ApplicationId, appPath } from '../../gitops/application.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import { type EnvironmentPhase, phaseOf } from '../decide.ts'
import { ownershipOf } from '../subject.ts'
import type { Lifecycle, Pipeline, Stage } from '../pipeline.ts'
import { progressFrom } from '../progress.ts'
import { openPull, type ProposedMove, proposedMoveOf } from '../move.ts'
import { type AppFolder, APPS, type AppsAtCommit } from './apps-reader.ts'

/** An entity and its application in every environment. */
export interface AppRow extends ApplicationId {
  readonly entity: CatalogEntity
  readonly lifecycle: Lifecycle
  readonly states: ReadonlyMap<Stage, EnvironmentPhase>
  /** Parsed when somebody asks. */
  readonly environments: () => readonly AppEnvironment[]
  /** Differs between rows whose answers differ. */
  readonly version: string
}

export interface AppEnvironment {
  readonly name: EnvironmentName
  /** Never `pr_closed`: to look for closed pull requests takes a request to the git host for each application. */
  readonly state: EnvironmentPhase
  readonly image: Image | null
  /** The open pull request. */
  readonly pullRequest: number | null
  /** The nearest live environment before this one, if this one is live too and runs another image. */
  readonly behind: EnvironmentName | null
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
  let before: Pick<AppEnvironment, 'name' | 'image'> | undefined
  return [...states].map(([stage, state]): AppEnvironment => {
    const { environment: name } = stage
    const image = images.get(stage) ?? null
    // Without an image of its own an environment runs that of the base, which says nothing about others.
    const isCompared = state === 'live' && !isUntagged(image)
    const isBehind = isCompared && before !== undefined && !isSame(image, before.image)
    const behind = isBehind ? (before?.name ?? null) : null
    if (isCompared) before = { name, image }
    return { name, state, image, pullRequest: openPull(moves, stage)?.number ?? null, behind }
  })
}

/** A tag with a digest and the same tag without one are taken for the same image. */
const isSame = (image: Image | null, other: Image | null): boolean =>
  image?.digest != null && other?.digest != null
    ? image.digest === other.digest
    : image?.tag === other?.tag

export interface Rows {
  /** The entities whose application is known, sorted by kind, then name. */
  readonly rows: readonly AppRow[]
  readonly proposed: readonly ProposedMove[]
  /** By the folder of the application. */
  readonly movesOf: ReadonlyMap<string, MovedApplication>
}

/** An application with open pull requests. Of several entities of one application a component comes before other kinds. */
export interface MovedApplication {
  readonly moves: readonly ProposedMove[]
  /** `null`: the catalog has no such entity, or not yet. */
  entity: CatalogEntity | null
  /** `null`: it has no application, or one that is not known whole. */
  row: AppRow | null
}

/** In slices of the event loop. A row is made again when its entity, its folder or its open moves change, and is the same object when it comes out the same. */
export function createRows(repository: RepositoryId, pipeline: Pipeline) {
  const places = new WeakMap<CatalogEntity, ReturnType<typeof placeOf>>()
  const made = new WeakMap<CatalogEntity, { row: AppRow; folder: AppFolder; moves: string }>()

  function placeOf({ card }: CatalogEntity) {
    const ownership = ownershipOf(card, repository, pipeline)
    const { team, app } = ownership
    if (team === null || app === null) return null
    return { ownership, teamPath: `${APPS}/${team}`, path: appPath(team, app) }
  }

  function rowOf(
    entity: CatalogEntity,
    { ownership }: NonNullable<ReturnType<typeof placeOf>>,
    folder: AppFolder,
    ofFolder: readonly ProposedMove[],
  ): AppRow | undefined {
    if (ownership.kind !== 'owned') return undefined
    const moves = ofFolder.map(({ act, stage, pull }) => [act, stage?.environment, pull.number])
    const key = moves.join()
    const before = made.get(entity)
    if (before?.folder === folder && before.moves === key) return before.row
    const { team, app, lifecycle } = ownership
    const { kind, name, title, system } = entity.card
    const shown = [kind, name, title, system, team, app, lifecycle, folder.rowVersion, key]
    const version = JSON.stringify(shown)
    const states = statesOf(pipeline, lifecycle, folder, ofFolder)
    const environments = lazily(() => environmentsOf(states, folder.images(), ofFolder))
    const next = { entity, team, app, lifecycle, states, environments, version }
    const row = before?.row.version === version ? before.row : next
    made.set(entity, { row, folder, moves: key })
    return row
  }

  /** `open`: the open pull requests into the default branch, newest first. */
  return async function build(
    catalog: Pick<Snapshot, 'entities' | 'ambiguous'>,
    apps: Pick<AppsAtCommit, 'folders' | 'cut'>,
    open: readonly PullRequest[],
  ): Promise<Rows> {
    const pause = createTimeSlice()
    const proposed: ProposedMove[] = []
    await visitInSlices(open, pause, (pull) => {
      const move = proposedMoveOf(pull, pipeline)
      if (move !== undefined) proposed.push(move)
    })
    const byFolder = Map.groupBy(proposed, ({ team, app }): string => appPath(team, app))
    const movesOf = new Map<string, MovedApplication>()
    for (const [path, moves] of byFolder) movesOf.set(path, { moves, entity: null, row: null })
    // An application that is known in part has environments that nobody sees. Files right below `apps/` are no team's.
    const cut = new Set(apps.cut.map((path) => path.split('/').slice(0, 3).join('/')))
    const rows: AppRow[] = []
    await visitInSlices(catalog.entities, pause, (entity) => {
      const known = places.get(entity)
      const place = known === undefined ? placeOf(entity) : known
      if (known === undefined) places.set(entity, place)
      if (place === null) return
      const { teamPath, path } = place
      const moved = movesOf.get(path)
      if (moved && comesFirst(entity, moved.entity)) moved.entity = entity
      const folder = apps.folders.get(path)
      const isCut = cut.has(teamPath) || cut.has(path)
      if (folder === undefined || isCut || catalog.ambiguous.has(entity.ref)) return
      const row = rowOf(entity, place, folder, moved?.moves ?? [])
      if (row === undefined) return
      rows.push(row)
      if (moved && comesFirst(entity, moved.row && moved.row.entity)) moved.row = row
    })
    return { rows, proposed, movesOf }
  }
}

/** An API may have the name and owner of its component. */
const comesFirst = (entity: CatalogEntity, other: CatalogEntity | null): boolean =>
  other === null || (isComponent(entity) && !isComponent(other))

const isComponent = ({ lowerCase }: CatalogEntity): boolean => lowerCase.kind === 'component'

/** A row or move must match every filter, and any value within one. An empty list is no filter. */
export interface TeamFilter {
  readonly team: readonly string[]
  /** Teams of which one must own the application; `null` is no filter, and an empty list selects nothing. */
  readonly ownedBy: readonly string[] | null
}

export interface RowFilter extends TeamFilter {
  /** In lower case. */
  readonly system: readonly string[]
  /** References, see `entityRef`. */
  readonly entity: readonly string[]
}

export function selectRows(rows: readonly AppRow[], filter: RowFilter): readonly AppRow[] {
  const isOfTeam = teamCheck(filter)
  const systems = new Set<string | null>(filter.system)
  const refs = new Set(filter.entity)
  return rows.filter(
    ({ team, entity }) =>
      isOfTeam(team) &&
      (refs.size === 0 || refs.has(entity.ref)) &&
      (systems.size === 0 || systems.has(entity.lowerCase.system)),
  )
}

export function teamCheck({ team, ownedBy }: TeamFilter): (team: string) => boolean {
  const [named, own] = [new Set(team), ownedBy && new Set(ownedBy)]
  return (name) => (named.size === 0 || named.has(name)) && (own === null || own.has(name))
}
