import { createTimeSlice, sortInSlices, visitInSlices } from '../../../concurrency/time-slice.ts'
import { type CacheRead, createTtlCache } from '../../../concurrency/ttl-cache.ts'
import type { ObjectId } from '../../../names.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { allOk, ok, type Result } from '../../../result.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { isPending } from '../../catalog/load.ts'
import { isOutage, type LoadFailure } from '../../catalog/load-failure.ts'
import type { Snapshot } from '../../catalog/snapshot.ts'
import { type CatalogProblem, fileFinding } from '../../catalog/problem.ts'
import type { Requesters } from '../../gitops/requesters.ts'
import { lastLineOf } from '../../gitops/trailer.ts'
import type { PromotionDeps } from '../dependencies.ts'
import { OPEN_MAX } from '../move.ts'
import { type AppRow, createRows, type Rows } from './rows.ts'
import type { AppsAtCommit } from './apps-reader.ts'
import {
  compareMoves,
  confirmationOf,
  findUnconfirmed,
  reviewOf,
  type Unconfirmed,
  versionOf,
  type WaitingMove,
} from './waiting-move.ts'

/** Time after a failed load in which none is tried. */
const RETRY_AFTER_MS = 2_000
/** Age from which head and pull requests are looked at in the background. */
const LOOK_AFTER_MS = 10_000
/** Nobody waits longer for a load. */
const PATIENCE_MS = 10_000
/** After an invalidation the next load begins at once if somebody has read within this time. */
const WANTED_MS = 10 * 60_000

/** Every application in every environment, and every move that waits for somebody, at one commit. Never changed, only replaced. */
export interface Overview extends Pick<Rows, 'movesOf'> {
  readonly commit: ObjectId
  /** The catalog and the applications that it is made of. */
  readonly snapshot: Snapshot
  readonly apps: AppsAtCommit
  /** Sorted by kind, then name. */
  readonly rows: readonly AppRow[]
  /** Newest first. */
  readonly moves: readonly WaitingMove[]
  /** Changes whenever a row or a move changes; the same on all replicas. */
  readonly revision: string
  /** For the next load. */
  readonly unconfirmed: Unconfirmed
}

export interface OverviewsOptions extends Pick<
  PromotionDeps,
  'repository' | 'pipeline' | 'apps' | 'clock'
> {
  readonly gitHost: Pick<GitHost, 'head' | 'findPullRequests'>
  readonly catalog: Pick<Catalog, 'atHead'>
  readonly requesters: Pick<Requesters, 'of'>
  readonly ttlSeconds: number
  readonly maxStaleSeconds: number
  /** Called after every load. */
  readonly onLoaded?: (outcome: Result<Overview, LoadFailure>, tookMs: number) => void
}

export type OverviewRead = CacheRead<Overview, LoadFailure>

export type Overviews = ReturnType<typeof createOverviews>

const KEY = 'overview'

/** The overview in memory, as fresh as the catalog. */
export function createOverviews(options: OverviewsOptions) {
  const { ttlSeconds, maxStaleSeconds, clock, onLoaded } = options
  const { gitHost, repository, pipeline, catalog, requesters } = options
  let wantedAt = Number.NEGATIVE_INFINITY
  const buildRows = createRows(repository, pipeline)
  const cache = createTtlCache<typeof KEY, Overview, LoadFailure>({
    ttlMs: ttlSeconds * 1_000,
    maxStaleMs: maxStaleSeconds * 1_000,
    refreshAfterMs: LOOK_AFTER_MS,
    retryAfterMs: RETRY_AFTER_MS,
    patience: { ms: PATIENCE_MS, tooLate: { kind: 'catalog_loading' } },
    clock,
    isOutage,
    isPartial: ({ snapshot }) => isPending(snapshot),
    load: (_, previous) => load(previous),
    ...(onLoaded && { onLoaded }),
  })

  /** Everything at the head of the default branch: two listings, however many applications there are. */
  async function load(previous: Overview | undefined): Promise<Result<Overview, LoadFailure>> {
    // The catalog is parsed by another thread meanwhile.
    if (previous === undefined) {
      void gitHost
        .head(repository)
        .then((ahead) => (ahead.ok ? options.apps.read(ahead.value.commit) : ahead))
    }
    const head = await catalog.atHead()
    if (!head.ok) return head
    const { branch, snapshot } = head.value
    const { commit } = snapshot
    const read = await allOk([
      options.apps.read(commit),
      gitHost.findPullRequests(repository, { base: branch, state: 'open', limit: OPEN_MAX }),
    ])
    if (!read.ok) return read
    const [apps, listed] = read.value
    // Only the trailer of a description is read, and descriptions are long.
    const open = listed.map((pull) => ({ ...pull, body: lastLineOf(pull.body) }))
    const { rows, proposed, movesOf } = await buildRows(snapshot, apps, open)
    const before = previous?.unconfirmed ?? new Map()
    const found = await findUnconfirmed(options, branch, rows, proposed, before)
    if (!found.ok) return found
    const unconfirmed = found.value
    const pulls = [...proposed.map(({ pull }) => pull), ...unconfirmed.values()]
    const known = await requesters.of(pulls.filter((pull) => pull !== null))
    const moves = await sortInSlices(
      [
        ...proposed.map((move) => reviewOf(move, movesOf, known)),
        ...Array.from(unconfirmed, ([row, pull]) => confirmationOf(row, pull, pipeline, known)),
      ],
      compareMoves,
    )
    // So that the first promotion need not wait for them.
    if (previous === undefined) void options.apps.claims(commit)
    // So that later pages need not, and the texts go.
    void readImages(apps)
    const revision = await revisionOf(rows, moves)
    return ok({ commit, snapshot, apps, rows, moves, movesOf, revision, unconfirmed })
  }

  return {
    /** Synchronous when the overview is fresh; otherwise after a load. */
    read(): OverviewRead | Promise<OverviewRead> {
      wantedAt = clock.now()
      return cache.read(KEY)
    },
    /** The overview if it is fresh; loads nothing. */
    peek(): Overview | undefined {
      const known = cache.peek(KEY)
      return known?.stale === false ? known.value : undefined
    },
    /** Every later read has an overview whose load began after this call. */
    invalidate(): void {
      cache.invalidate(KEY)
      if (clock.now() - wantedAt < WANTED_MS) void cache.read(KEY)
    },
    /** Begins the first load, which reads every application. */
    warm: (): void => void cache.read(KEY),
    /** Folders that are not known whole, as problems of the catalog; none while they cannot be read. */
    async problems(): Promise<readonly CatalogProblem[]> {
      const read = await cache.read(KEY)
      return read.ok ? read.value.value.apps.cut.map((path) => ({ ...CUT, path })) : []
    },
  }
}

const CUT = fileFinding(
  'files_too_many',
  'applications of this folder are left out, because it has too many files or the git host has lost a part of it',
)

async function readImages({ folders }: AppsAtCommit): Promise<void> {
  const pause = createTimeSlice()
  for (const { images } of folders.values()) {
    await pause()
    images()
  }
}

const REVISION_LENGTH = 32

/** Changes whenever anything changes that is answered of the rows or the moves. */
async function revisionOf(rows: readonly AppRow[], moves: readonly WaitingMove[]): Promise<string> {
  const digest = new Bun.CryptoHasher('sha256')
  const pause = createTimeSlice()
  await visitInSlices(rows, pause, ({ version }) => void digest.update(`${version}\n`))
  await visitInSlices(moves, pause, (move) => void digest.update(`${versionOf(move)}\n`))
  return digest.digest('hex').slice(0, REVISION_LENGTH)
}
