import { Label } from '../../../names.ts'
import type { Clusters } from '../../clusters/clusters.ts'
import type { FeedFailure } from '../../clusters/feed.ts'
import { type FeedEvent, valueOf } from '../../clusters/follow.ts'
import { type Admit, admittedOnce } from './admission.ts'
import type { OpenTopic, TopicEnd, TopicEvents, TopicKind } from '../topic.ts'

export interface ListTopicOptions {
  readonly follow: (Clusters['pods'] | Clusters['deployments'])['follow']
  readonly admit: Admit
}

/** Topics such as `pods:dev-east/payments-dev`: the list of a namespace, and all changes. */
export const clusterListTopic =
  (options: ListTopicOptions): TopicKind =>
  (rest) => {
    const [cluster, namespace, ...more] = (rest ?? '').split('/').map((part) => Label.parse(part))
    if (cluster === undefined || namespace === undefined || more.length > 0) return undefined
    return openList({ ...options, admit: admittedOnce(options.admit) }, { cluster, namespace })
  }

function openList(
  { follow, admit }: ListTopicOptions,
  place: { readonly cluster: Label; readonly namespace: Label },
): OpenTopic {
  let wasOpen = false
  return async function* (caller, _, signal): TopicEvents {
    const admitted = await admit(caller)
    if (!admitted.ok) return { kind: 'failed', failure: admitted.error }
    const feed = await follow({ ...caller, ...place, signal }, null)
    if (!feed.ok) return endOf(feed.error, wasOpen)
    wasOpen = true
    const events = feed.value(signal)
    try {
      let next = await events.next()
      for (; next.done !== true; next = await events.next()) yield eventOf(next.value)
      return next.value === null ? { kind: 'interrupted' } : endOf(next.value, wasOpen)
    } finally {
      // The slot of the feed is free when its events have ended.
      await events.return(null)
    }
  }
}

const eventOf = (event: FeedEvent<object>) => ({ type: event.kind, value: valueOf(event) })

/** Failures that another try does not mend. */
const REFUSALS: ReadonlySet<FeedFailure['kind']> = new Set([
  'cluster_not_found',
  'identity_token_missing',
] as const)

/** An API server that restarts refuses everybody, until it has read its rules and reached its identity provider. */
const PASSING_REFUSALS: ReadonlySet<FeedFailure['kind']> = new Set([
  'cluster_forbidden',
  'cluster_unauthorized',
] as const)

function endOf(failure: FeedFailure, wasOpen: boolean): TopicEnd {
  const { kind } = failure
  // The provider has ended the session, and with it the whole stream.
  if (kind === 'identity_rejected') return { kind: 'interrupted' }
  const isRefused = REFUSALS.has(kind) || (!wasOpen && PASSING_REFUSALS.has(kind))
  return { kind: isRefused ? 'refused' : 'failed', failure }
}
