import type { ObjectId } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import type { Requester, Person } from '../../gitops/requesters.ts'
import type { Image } from '../../gitops/overlay.ts'
import type { MoveKind } from '../decide.ts'
import type { Stage } from '../pipeline.ts'
import type { OverlayChange } from './fold.ts'

/** The image of an overlay. */
export interface RunningImage extends Image {
  /** The name in the base; `null` for a base that cannot be read. */
  readonly name: string | null
}

/** The overlay of an environment at a commit. */
export interface OverlayAt {
  readonly exists: boolean
  /** `null`: there is no overlay, it names no image, or it cannot be read. */
  readonly image: RunningImage | null
}

export const NO_OVERLAY: OverlayAt = { exists: false, image: null }

export type ChangeKind = MoveKind | 'manual'

/** A change of an environment, with the images before and after it. */
export interface HistoryRow {
  readonly stage: Stage
  readonly kind: ChangeKind
  readonly image: RunningImage | null
  /** The image of the next older row. */
  readonly previousImage: RunningImage | null
  readonly commit: ObjectId
  readonly at: number | null
  readonly askedBy: Person | null
  readonly mergedBy: Person | null
  readonly pull: PullRequest | null
}

/** A change with the overlay that it left; `before` is the one of the next older change, `null` where it was not read. */
export interface ChangedOverlay {
  readonly change: OverlayChange
  readonly after: OverlayAt
  readonly before: OverlayAt | null
}

export const rowOf = (
  stage: Stage,
  { change, after, before }: ChangedOverlay,
  requesters: ReadonlyMap<number, Requester>,
): HistoryRow => ({
  stage,
  kind: kindOf(change, before),
  image: after.image,
  previousImage: before?.image ?? null,
  commit: change.commit,
  at: change.at,
  askedBy: askedBy(change, requesters),
  // An account of the git host is nobody that the portal knows.
  mergedBy: personOf(change.pull?.mergedBy),
  pull: change.pull,
})

/** A promotion brings an overlay, a release changes the one that is there. */
function kindOf({ act }: OverlayChange, before: OverlayAt | null): ChangeKind {
  switch (act) {
    case 'promote':
      return before === null || before.exists ? 'release' : 'promotion'
    case 'deprecate':
      return 'deprecation'
    case 'lifecycle':
    case null:
      return 'manual'
  }
}

/** Names and addresses of git are what anybody writes into a commit, never a subject. */
export const askedBy = (
  { act, pull, authorName }: OverlayChange,
  requesters: ReadonlyMap<number, Requester>,
): Person | null =>
  (act === null || pull === null ? undefined : requesters.get(pull.number)) ??
  personOf(authorName ?? pull?.createdBy)

const personOf = (name: string | null | undefined): Person | null =>
  name === null || name === undefined ? null : { subject: null, name }
