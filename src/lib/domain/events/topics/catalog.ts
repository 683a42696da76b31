import type { LatestState, Revised } from '../../../concurrency/latest-state.ts'
import type { ParseTopic } from '../topic.ts'
import { revisions } from './revision.ts'

/** The topic `catalog`: the revision of the gitops repository that lists and entities are answered from. */
export const catalogTopic =
  (catalog: LatestState<Revised>): ParseTopic =>
  (rest) =>
    rest === null
      ? (_, after, signal) =>
          revisions(catalog, { revisionOf: ({ revision }) => revision, after, signal })
      : undefined
