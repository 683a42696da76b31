import { isListTopic, type ListEvent, type Listed, type TopicEvent } from './events.ts'
import { collectList, type ListCollector } from './list.ts'

/** The API takes at most 20 topics in one stream. */
export const TOPICS_MAX = 20
/** A tab that has not repeated its wish for this long is gone. */
export const WISH_EXPIRES_MS = 90_000

export type StreamState = 'connecting' | 'live' | 'lost'

export type HubMessage =
  | { readonly kind: 'event'; readonly event: TopicEvent; readonly to?: string }
  | { readonly kind: 'state'; readonly state: StreamState; readonly topics: readonly string[] }

interface Wish {
  readonly topics: readonly string[]
  readonly at: number
  /** Since when these topics are wanted: a repetition is no news. */
  readonly since: number
}

export interface HubOptions {
  /** Opens the one stream with these topics in place of the present one; no topics close it. */
  readonly open: (topics: readonly string[]) => void
  readonly publish: (message: HubMessage) => void
  readonly now: () => number
}

/**
 * The state of the tab that holds the browser's one stream: which tab wants which topics, and the present state of
 * lists for tabs that come later. Without a socket and a timer, so that each rule is testable.
 */
export function createHub({ open, publish, now }: HubOptions) {
  const wishes = new Map<string, Wish>()
  const lists = new Map<string, ListCollector<Listed>>()
  const refused = new Set<string>()
  let topics: readonly string[] = []
  let state: StreamState = 'connecting'

  const tell = () => publish({ kind: 'state', state, topics })

  function wanted(): readonly string[] {
    const newest = [...wishes.values()].toSorted((one, other) => other.since - one.since)
    return [...new Set(newest.flatMap((wish) => wish.topics))].slice(0, TOPICS_MAX).toSorted()
  }

  function update() {
    const next = wanted()
    if (isSame(next, topics)) return
    topics = next
    refused.clear()
    for (const topic of lists.keys()) if (!topics.includes(topic)) lists.delete(topic)
    state = 'connecting'
    open(topics)
    tell()
  }

  const sinceOf = (former: Wish | undefined, wants: readonly string[]) =>
    former !== undefined && isSame(former.topics, wants) ? former.since : now()

  const isAllRefused = () => topics.length > 0 && topics.every((topic) => refused.has(topic))

  return {
    /**
     * A tab wants these topics, and no others any more; none when it is gone or hidden. Of the lists in `fresh` it needs
     * the present items and problem.
     */
    wish(tab: string, wants: readonly string[], fresh: readonly string[]) {
      const carried = topics
      if (wants.length === 0) wishes.delete(tab)
      else wishes.set(tab, { topics: wants, at: now(), since: sinceOf(wishes.get(tab), wants) })
      update()
      // A stream that was opened just now sends every list from its beginning.
      if (topics === carried) {
        for (const topic of fresh) {
          for (const event of lists.get(topic)?.asEvents() ?? []) {
            publish({ kind: 'event', event: { topic, ...event }, to: tab })
          }
        }
      }
      tell()
    },

    expire() {
      for (const [tab, { at }] of wishes) if (now() - at > WISH_EXPIRES_MS) wishes.delete(tab)
      update()
      if (!isAllRefused()) return
      // Perhaps the right has been given meanwhile.
      refused.clear()
      open(topics)
    },

    received(event: TopicEvent) {
      if (isListTopic(event.topic)) {
        const list = lists.get(event.topic) ?? collectList<Listed>()
        lists.set(event.topic, list)
        list.apply(asListEvent(event))
      }
      if (event.type === 'refused') refused.add(event.topic)
      publish({ kind: 'event', event })
      // The server ends a stream that carries nothing, and the browser would open it again at once.
      if (isAllRefused()) open([])
    },

    /** Whether other tabs want topics too. */
    isShared: (tab: string): boolean => wishes.size > Number(wishes.has(tab)),

    changed(next: StreamState) {
      state = next
      tell()
    },
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((topic, at) => topic === others[at])

export type Hub = ReturnType<typeof createHub>

/** The topic says which items the list has; the document of the API says the form of its events. */
export function asListEvent<Item extends Listed>(event: TopicEvent): ListEvent<Item> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return event as unknown as ListEvent<Item>
}
