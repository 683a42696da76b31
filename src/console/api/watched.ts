import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Deployment, Listed, Pod, Workload } from './live/events.ts'
import { asListEvent } from './live/hub.ts'
import { collectList, type WatchedList } from './live/list.ts'
import { isCovered, liveState, watchTopic } from './live/tabs.ts'
import { send } from './call.ts'
import { signedOut } from './session-state.ts'

/** A list of more items than `LARGE` is drawn so often at most: each time it is sorted and compared as a whole. */
const LARGE = 200
const LARGE_EVERY_MS = 300

/** Lists that the event stream does not carry are asked for. */
const POLL_EVERY_MS = 5_000

export type { Deployment, Pod, Workload } from './live/events.ts'

interface Kinds {
  readonly pods: Pod
  readonly deployments: Deployment
  readonly workloads: Workload
}

export interface Watched<Item> extends WatchedList<Item> {
  /** Changes arrive by themselves; otherwise the list is asked for every few seconds. */
  readonly isLive: boolean
}

const NOTHING: WatchedList<never> = { items: undefined, problem: undefined, isRefused: false }

/** A list of a namespace, or of what has some labels in it, that follows the cluster. Without a place nothing is watched. */
export function useWatched<Kind extends keyof Kinds>(
  kind: Kind,
  place:
    | {
        readonly cluster: string
        readonly namespace: string
        readonly labelSelector?: string
      }
    | undefined,
): Watched<Kinds[Kind]> {
  const list = useSignal<WatchedList<Kinds[Kind]>>(NOTHING)
  const selector = place?.labelSelector
  // Commas separate topics.
  const terms = selector === undefined ? '' : `?${selector.replaceAll(',', '&')}`
  const topic =
    place === undefined ? undefined : `${kind}:${place.cluster}/${place.namespace}${terms}`
  const isLive = topic !== undefined && isCovered(topic)
  useEffect(() => {
    if (place === undefined || topic === undefined) return undefined
    const url = `/api/v1/clusters/${encodeURIComponent(place.cluster)}/namespaces/${encodeURIComponent(place.namespace)}/${kind}`
    const labels = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`
    return follow<Kinds[Kind]>(topic, `${url}${labels}`, list)
  }, [topic])
  return { ...list.value, isLive }
}

function follow<Item extends Listed>(topic: string, url: string, list: Signal<WatchedList<Item>>) {
  const collector = collectList<Item>()
  list.value = NOTHING
  let isDue = false
  let shownAt = 0
  const show = () => {
    isDue = false
    if (isOver) return
    shownAt = performance.now()
    list.value = collector.current()
  }
  // A large rollout has hundreds of events a second; the page is sorted and rendered once for each frame, or less often.
  const showSoon = () => {
    if (isDue) return
    isDue = true
    const isLarge = (list.peek().items?.length ?? 0) > LARGE
    const restMs = isLarge ? shownAt + LARGE_EVERY_MS - performance.now() : 0
    if (restMs <= 0) requestAnimationFrame(show)
    else setTimeout(() => requestAnimationFrame(show), restMs)
  }
  const unwatch = watchTopic(topic, (event) => {
    collector.apply(asListEvent<Item>(event))
    showSoon()
  })
  let isAsking = false
  let isOver = false
  const poll = async () => {
    const isSeen = document.visibilityState === 'visible' && signedOut.peek() === undefined
    if (isAsking || isCovered(topic) || !isSeen) return
    isAsking = true
    const answer = await send<readonly Item[]>(url, {})
    isAsking = false
    // The stream may have begun meanwhile, or another list.
    if (isOver || isCovered(topic)) return
    collector.apply(
      answer.ok
        ? { type: 'snapshot', value: { first: true, last: true, items: answer.value.value } }
        : { type: answer.problem.status === 403 ? 'refused' : 'failed', value: answer.problem },
    )
    list.value = collector.current()
  }
  if (liveState.peek() === 'off') void poll()
  const timer = setInterval(() => void poll(), POLL_EVERY_MS)
  return () => {
    isOver = true
    unwatch()
    clearInterval(timer)
  }
}
