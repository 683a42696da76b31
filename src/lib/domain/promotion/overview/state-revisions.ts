import type { RepositoryId } from '../../../names.ts'
import type { CatalogEntity, Snapshot } from '../../catalog/snapshot.ts'
import { appPath } from '../../gitops/application.ts'
import type { AppsAtCommit } from './apps-reader.ts'
import type { Overview } from './overview.ts'
import { ownershipOf } from '../subject.ts'
import type { Pipeline } from '../pipeline.ts'
import type { ProposedMove } from '../move.ts'

const REVISION_LENGTH = 40

/** The revisions of all promotion states, and of the overview. */
export interface PromotionRevisions {
  /** Changes whenever one of the others does. */
  readonly revision: string
  readonly overview: Pick<Overview, 'revision'>
  readonly snapshot: Snapshot
  /** Changes whenever the promotion state of this entity does. */
  of(ref: string): string
}

type RevisedOverview = Pick<Overview, 'snapshot' | 'apps' | 'movesOf' | 'revision'>

/** The revisions of an overview, worked out once for each. */
export function createPromotionRevisions(
  repository: RepositoryId,
  pipeline: Pipeline,
): (overview: RevisedOverview) => PromotionRevisions {
  const known = new WeakMap<object, PromotionRevisions>()
  return (overview) => {
    const revisions = known.get(overview) ?? revisionsOf(repository, pipeline, overview)
    known.set(overview, revisions)
    return revisions
  }
}

function revisionsOf(
  repository: RepositoryId,
  pipeline: Pipeline,
  overview: RevisedOverview,
): PromotionRevisions {
  const { snapshot, apps, movesOf } = overview
  const known = new Map<string, string>()

  function factsOf({ card, path }: CatalogEntity): readonly unknown[] {
    const { kind, name, owner, lifecycle } = card
    const ofEntity = [kind, name, owner, lifecycle, path]
    const { team, app } = ownershipOf(card, repository, pipeline)
    if (team === null || app === null) return ofEntity
    const folder = appPath(team, app)
    const { moves = [] } = movesOf.get(folder) ?? {}
    return [...ofEntity, versionOf(apps, team, folder), moves.map(factsOfMove)]
  }

  return {
    revision: digestOf([
      overview.revision,
      snapshot.commit,
      [...movesOf.values()].flatMap(({ moves }) => moves.map(factsOfMove)),
    ]),
    overview,
    snapshot,
    of(ref) {
      const before = known.get(ref)
      if (before !== undefined) return before
      const entity = snapshot.ambiguous.has(ref) ? undefined : snapshot.byRef.get(ref)
      const revision = digestOf(entity === undefined ? snapshot.byRef.has(ref) : factsOf(entity))
      known.set(ref, revision)
      return revision
    },
  }
}

/** An application whose folder is not read whole may have changed with any other one. */
const versionOf = ({ tree, folders, cut }: AppsAtCommit, team: string, folder: string) =>
  cut.includes(folder) || cut.includes(`apps/${team}`) ? tree : folders.get(folder)?.version

const factsOfMove = ({ pull: { number, title, url, head } }: ProposedMove): readonly unknown[] => [
  number,
  title,
  url,
  head.branch,
  head.commit,
]

const digestOf = (value: unknown): string =>
  new Bun.CryptoHasher('sha256')
    .update(JSON.stringify(value))
    .digest('hex')
    .slice(0, REVISION_LENGTH)
