import type { Sessions } from '../lib/domain/access/sessions/sessions.ts'
import type { Catalog } from '../lib/domain/catalog/catalog.ts'
import { isPending } from '../lib/domain/catalog/load.ts'
import type { Clusters } from '../lib/domain/clusters/clusters.ts'
import {
  createLatestState,
  type LatestState,
  type Revised,
} from '../lib/concurrency/latest-state.ts'
import { createPageEvents } from '../lib/domain/events/page-events.ts'
import { createTopics } from '../lib/domain/events/topics/index.ts'
import type { Fair } from '../lib/concurrency/fair.ts'
import type { Usage } from '../lib/domain/limits/usage.ts'
import type { Overviews } from '../lib/domain/promotion/overview/overview.ts'
import {
  createPromotionRevisions,
  type PromotionRevisions,
} from '../lib/domain/promotion/overview/state-revisions.ts'
import type { Runs } from '../lib/domain/runs/runs.ts'
import type { PortalOptions } from './options.ts'

/** Reading a fresh state costs nothing; changes that are announced are read at once. */
const EVERY_MS = 1_000

export const makeCatalogState = (
  { log }: PortalOptions,
  catalog: Pick<Catalog, 'read'>,
): LatestState<Revised> =>
  createLatestState({
    everyMs: EVERY_MS,
    onBug: (bug) => log.events.error({ bug }, 'events'),
    async read() {
      const read = await catalog.read()
      if (!read.ok) return undefined
      const { value: snapshot, loadedAt } = read.value
      // Files that are read later change the answers of the same commit.
      return { revision: `${snapshot.commit}${isPending(snapshot) ? `-${loadedAt}` : ''}` }
    },
  })

export const makePromotionState = (
  { log, config }: PortalOptions,
  overviews: Pick<Overviews, 'read' | 'peek'>,
) => {
  const revisionsOf = createPromotionRevisions(config.GITOPS_REPOSITORY, config.ENVIRONMENTS)
  return {
    promotionState: createLatestState<PromotionRevisions>({
      everyMs: EVERY_MS,
      onBug: (bug) => log.events.error({ bug }, 'events'),
      async read() {
        const read = await overviews.read()
        return read.ok ? revisionsOf(read.value.value) : undefined
      },
    }),
    /** Revision of an entity in the overview in memory, `null` without one. What is read after the call is at least as new. */
    promotionRevision: (ref: string): string | null => {
      const overview = overviews.peek()
      return overview === undefined ? null : revisionsOf(overview).of(ref)
    },
  }
}

/** Everything that pages watch, and how one stream carries it. */
export function makeEvents(
  { log }: PortalOptions,
  parts: {
    readonly catalogState: LatestState<Revised>
    readonly promotionState: LatestState<PromotionRevisions>
    readonly sessions: Sessions
    readonly runs: Runs
    readonly clusters: Clusters
    readonly usage: Usage
    readonly runStreams: Fair
  },
) {
  const { sessions, usage } = parts
  const onBug = (bug: unknown) => log.events.error({ bug }, 'events')
  return {
    pageEvents: createPageEvents({ sessions, onBug }),
    topics: createTopics({
      ...parts,
      catalog: parts.catalogState,
      promotions: parts.promotionState,
      admit: ({ session, address }) => usage.take('stream', session.principal, { address }),
      onBug,
    }),
  }
}
