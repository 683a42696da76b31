import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import type { RepositoryId } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import type { CatalogEntity, Snapshot } from '../../catalog/snapshot.ts'
import { appPath } from '../../gitops/layout.ts'
import { ownershipOf } from '../ownership.ts'
import type { Pipeline } from '../pipeline.ts'
import { appRow, type AppRow, environmentsOf } from './app-row.ts'
import type { AppsAtCommit } from './apps-reader.ts'
import { APPS } from './listed-apps.ts'
import { type ProposedMove, proposedMoveOf } from './proposed-move.ts'

/** The material of the rows. */
export interface RowsSource {
  readonly catalog: Pick<Snapshot, 'entities' | 'ambiguous'>
  readonly apps: Pick<AppsAtCommit, 'folders' | 'cut'>
  /** The open pull requests into the default branch, newest first. */
  readonly open: readonly PullRequest[]
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
}

export interface Rows {
  /** The entities whose application is known, sorted by kind, then name. */
  readonly rows: readonly AppRow[]
  readonly proposed: readonly ProposedMove[]
  /** By folder. Of several entities of one application a component comes before other kinds. */
  readonly rowOf: ReadonlyMap<string, AppRow>
  /** The same for all entities, also those without an application. */
  readonly entityOf: ReadonlyMap<string, CatalogEntity>
}

/** In slices of the event loop. Rows without a change are the same objects as before. */
export async function buildRows(
  { catalog, apps, open, repository, pipeline }: RowsSource,
  before: readonly AppRow[],
): Promise<Rows> {
  const pause = createTimeSlice()
  const proposed: ProposedMove[] = []
  await visitInSlices(open, pause, (pull) => {
    const move = proposedMoveOf(pull, pipeline)
    if (move !== undefined) proposed.push(move)
  })
  const movesOf = Map.groupBy(proposed, ({ team, app }): string => appPath(team, app))
  const known = new Map<CatalogEntity, AppRow>()
  await visitInSlices(before, pause, (row) => void known.set(row.entity, row))
  // An application that is known in part has environments that nobody sees. Files right below `apps/` are no team's.
  const cut = new Set(apps.cut.map(folderOfApplication))
  const rows: AppRow[] = []
  const rowOf = new Map<string, AppRow>()
  const entityOf = new Map<string, CatalogEntity>()
  await visitInSlices(catalog.entities, pause, (entity) => {
    const ownership = ownershipOf(entity.card, repository, pipeline)
    const { team, app } = ownership
    if (team === null || app === null) return
    const path = appPath(team, app)
    if (comesFirst(entity, entityOf.get(path))) entityOf.set(path, entity)
    const folder = apps.folders.get(path)
    const isCut = cut.has(`${APPS}/${team}`) || cut.has(path)
    if (folder === undefined || isCut) return
    if (ownership.kind !== 'owned' || catalog.ambiguous.has(entity.ref)) return
    const { lifecycle } = ownership
    const environments = environmentsOf(pipeline, lifecycle, folder, movesOf.get(path) ?? [])
    const made = appRow({ entity, team, app, lifecycle, environments })
    const same = known.get(entity)
    const row = same?.version === made.version ? same : made
    rows.push(row)
    if (comesFirst(entity, rowOf.get(path)?.entity)) rowOf.set(path, row)
  })
  return { rows, proposed, rowOf, entityOf }
}

/** `apps/payments/shop` of that folder and all below it. */
const folderOfApplication = (path: string): string => path.split('/').slice(0, 3).join('/')

/** An API may have the name and owner of its component. */
const comesFirst = (entity: CatalogEntity, other: CatalogEntity | undefined): boolean =>
  other === undefined || (isComponent(entity) && !isComponent(other))

const isComponent = ({ lowerCase }: CatalogEntity): boolean => lowerCase.kind === 'component'
