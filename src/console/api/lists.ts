import { type Answer, urlOf } from './call.ts'
import type { Deployment, Listed, ListEvent, Pod, Workload } from './live/events.ts'
import { asListEvent } from './live/hub.ts'
import { collectList } from './live/list.ts'
import { isCovered } from './live/tabs.ts'
import { type Entry, entryOf, NOTHING, type Resource, sameUrl, useEntry } from './resource.ts'
import type { Result } from './result.ts'

/** A list of more items is drawn every 300 ms at most, because each time it is sorted and compared as a whole. */
const LARGE = 200
const LARGE_EVERY_MS = 300

/** Lists that the event stream does not carry are asked for. */
const LIST_EVERY_MS = 5_000

interface Lists {
  readonly pods: Pod
  readonly deployments: Deployment
  readonly workloads: Workload
}

export interface List<Item> extends Resource<readonly Item[]> {
  /** Changes arrive by themselves; otherwise the list is asked for every few seconds. */
  readonly isLive: boolean
}

/** A list of a namespace, or of what has some labels or a name in it, that follows the cluster. Without a place nothing is asked. */
export function useList<Kind extends keyof Lists>(
  kind: Kind,
  place:
    | {
        readonly cluster: string
        readonly namespace: string
        readonly name?: string
        readonly labelSelector?: string | undefined
      }
    | undefined,
): List<Lists[Kind]> {
  const { cluster = '', namespace = '', name, labelSelector } = place ?? {}
  const url = urlOf(`/api/v1/clusters/{clusterId}/namespaces/{namespace}/${kind}`, {
    params: { clusterId: cluster, namespace },
    query: { labelSelector, name },
  })
  // Commas separate topics.
  const labels = labelSelector === undefined ? '' : `?${labelSelector.replaceAll(',', '&')}`
  const only = name === undefined ? '' : `/${name}`
  const topic = place && `${kind}:${cluster}/${namespace}${only}${labels}`
  const entry = place && entryOf<readonly Lists[Kind][]>(url)
  if (entry !== undefined) beginList(sameUrl(entry))
  return { ...useEntry(entry, topic), isLive: topic !== undefined && isCovered(topic) }
}

/** Empties a list that nobody shows: it may have changed since somebody saw it. */
function beginList(entry: Entry<unknown>) {
  if (entry.users > 0) return
  const items = collectList<Listed>()
  let due: number | undefined
  let nextAt = 0
  const show = () => {
    due = undefined
    if (entry.users === 0) return
    const current = items.current()
    nextAt = (current.value?.length ?? 0) > LARGE ? performance.now() + LARGE_EVERY_MS : 0
    entry.state.value = { ...NOTHING, ...current, at: Date.now() }
  }
  // A large rollout has hundreds of events a second; the page is sorted and drawn once for each frame, or less often.
  const collect = (event: ListEvent<Listed>) => {
    items.apply(event)
    due ??= window.setTimeout(() => requestAnimationFrame(show), nextAt - performance.now())
  }
  entry.list = {
    hear: (event) => collect(asListEvent(event)),
    take: (answer) => collect(listEvent(answer)),
  }
  entry.everyMs = LIST_EVERY_MS
  entry.triedAt = Date.now()
  if (entry.state.peek() !== NOTHING) entry.state.value = NOTHING
}

function listEvent(answer: Result<Answer<unknown>>): ListEvent<Listed> {
  if (answer.ok) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document of the API says so
    const items = answer.value.value as readonly Listed[]
    return { type: 'snapshot', value: { first: true, last: true, items } }
  }
  const { problem } = answer
  return { type: problem.status === 403 ? 'refused' : 'failed', value: problem }
}
