import type { Problem } from '../result.ts'
import type { ListEvent, Listed } from './events.ts'

export interface WatchedList<Item> {
  /** Sorted by name; `undefined` before the first snapshot, and of a list that is refused. */
  readonly value: readonly Item[] | undefined
  /** Present while the cluster cannot be asked, or for good when the list is refused. */
  readonly problem: Problem | undefined
}

export interface ListCollector<Item extends Listed> {
  apply(event: ListEvent<Item>): void
  current(): WatchedList<Item>
  /** The present items, then the present problem, for a page that begins to watch. */
  asEvents(): readonly ListEvent<Item>[]
}

/** Collects a watched list: snapshots in parts, then changes. A failure keeps the items. */
export function collectList<Item extends Listed>(): ListCollector<Item> {
  let known: Map<string, Item> | undefined
  let coming = new Map<string, Item>()
  let problem: Problem | undefined
  let isRefused = false

  const put = (event: ListEvent<Item>) => {
    if (event.type === 'failed' || event.type === 'refused') {
      problem = event.value
      isRefused = event.type === 'refused'
      if (isRefused) known = undefined
      return
    }
    if (event.type === 'set') known?.set(event.value.uid, event.value)
    if (event.type === 'removed') known?.delete(event.value.uid)
    if (event.type !== 'snapshot') return
    if (event.value.first) coming = new Map()
    for (const item of event.value.items) coming.set(item.uid, item)
    if (!event.value.last) return
    known = coming
    coming = new Map()
    problem = undefined
    isRefused = false
  }

  const items = () =>
    known && [...known.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))

  return {
    apply: put,
    current: () => ({ value: items(), problem }),
    asEvents() {
      const events: ListEvent<Item>[] = []
      if (known !== undefined) {
        const value = { first: true, last: true, items: [...known.values()] }
        events.push({ type: 'snapshot', value })
      }
      if (problem !== undefined) {
        events.push({ type: isRefused ? 'refused' : 'failed', value: problem })
      }
      return events
    },
  }
}
