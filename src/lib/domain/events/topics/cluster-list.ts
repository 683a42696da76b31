import { Label, Subdomain } from '../../../names.ts'
import type { Selection } from '../../../ports/clusters.ts'
import type { Result } from '../../../result.ts'
import type { ClusterRequest } from '../../clusters/access.ts'
import type { Feed, FeedFailure } from '../../clusters/feed.ts'
import { type FeedEvent, type FeedPosition, newPosition, valueOf } from '../../clusters/follow.ts'
import { type Admit, admittedOnce } from './admission.ts'
import type { OpenTopic, TopicEnd, TopicEvents, ParseTopic } from '../topic.ts'

export interface ListTopicOptions {
  readonly follow: (
    request: ClusterRequest,
    selection: Selection,
    position: FeedPosition,
  ) => Promise<Result<Feed<object, FeedFailure>, FeedFailure>>
  readonly admit: Admit
}

/** Names of a cluster, a namespace and an object, and the terms of a selector. A comma would end the topic. */
const PLACE = /^([^/?]+)\/([^/?]+)(?:\/([^/?]+))?(?:\?([^,]+))?$/

/**
 * Topics such as `pods:dev-east/payments-dev?app.kubernetes.io/name=shop&tier=web`: the list of a namespace, or what has these labels,
 * and all changes; `pods:dev-east/payments-dev/shop-1` is the one of that name.
 */
export const clusterListTopic =
  (options: ListTopicOptions, { isNamed = false } = {}): ParseTopic =>
  (rest) => {
    const [, clusterText, namespaceText, nameText, terms] = PLACE.exec(rest ?? '') ?? []
    const cluster = Label.parse(clusterText)
    const namespace = Label.parse(namespaceText)
    const name = Subdomain.parse(nameText)
    if (cluster === undefined || namespace === undefined) return undefined
    if (nameText !== undefined && (!isNamed || name === undefined)) return undefined
    return openList(
      { ...options, admit: admittedOnce(options.admit) },
      { cluster, namespace },
      { labelSelector: terms?.replaceAll('&', ',') ?? null, name },
    )
  }

function openList(
  { follow, admit }: ListTopicOptions,
  place: { readonly cluster: Label; readonly namespace: Label },
  selection: Selection,
): OpenTopic {
  /** A person whose list was open had the right to it: a later refusal may pass. */
  let wasOpen = false
  const position = newPosition()
  return async function* (caller, _, signal): TopicEvents {
    const admitted = await admit(caller)
    if (!admitted.ok) return { kind: 'failed', failure: admitted.error }
    const feed = await follow({ ...caller, ...place, signal }, selection, position)
    if (!feed.ok) {
      position.version = null
      return endOf(feed.error, wasOpen)
    }
    wasOpen = true
    const events = feed.value(signal)
    try {
      let next = await events.next()
      for (; next.done !== true; next = await events.next()) yield eventOf(next.value)
      // The end of a token interrupts it: the next one goes on from there.
      if (next.value === null) return { kind: 'interrupted' }
      position.version = null
      return endOf(next.value, wasOpen)
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
  'validation_failed',
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
