import { signal } from '@preact/signals'
import { checkSession } from '../session.ts'
import { isTopic, type TopicEvent } from './events.ts'
import { createHub, type Hub, type HubMessage, type StreamState } from './hub.ts'
import { createStream } from './stream.ts'

const NAME = 'portico-events'
/** Less than half of the time after which a wish expires. */
const REPEAT_WISH_MS = 30_000
/** The hub answers each wish. A tab that it has not answered for two is on its own: browsers freeze tabs. */
const SILENT_AFTER_MS = 2.5 * REPEAT_WISH_MS
/** A hidden tab keeps its topics for this long, so that a short look at another tab reopens nothing. */
const RELEASE_HIDDEN_MS = 30_000
/** Topics of components that come and go together change the stream once. */
const SETTLE_MS = 30

type TabMessage =
  | {
      readonly kind: 'wish'
      readonly tab: string
      readonly topics: readonly string[]
      readonly fresh: readonly string[]
    }
  | { readonly kind: 'leader' }
  | HubMessage

type Listener = (event: TopicEvent) => void

/**
 * State of the browser's stream. `off`: this browser or address has no Web Locks, or the tab with the stream is silent; pages ask
 * again every few seconds.
 */
export const liveState = signal<StreamState | 'off'>('connecting')

/** Topics that the stream carries. */
const covered = signal<ReadonlySet<string>>(new Set())

export const isCovered = (topic: string) => liveState.value === 'live' && covered.value.has(topic)

const listeners = new Map<string, Set<Listener>>()
/** Topics with listeners that are new since the last wish. */
const fresh = new Set<string>()
const tab = crypto.getRandomValues(new Uint32Array(2)).join('-')
let channel: BroadcastChannel | undefined
let hub: Hub | undefined
let settling: ReturnType<typeof setTimeout> | undefined
let isReleased = false
let heardAt = Date.now()
/** A page learns its topics from its first answers, which begin within this time: one stream is opened for all of them. */
const FIRST_AFTER_MS = 400
/** Slower answers are not waited for. */
const FIRST_BEFORE_MS = 2_000
const startedAt = Date.now()
/** First answers that are on their way. */
let held = 0

/** The stream is opened after this answer, if it is one of the first. */
export function holdStream(answer: Promise<unknown>) {
  if (Date.now() - startedAt > FIRST_AFTER_MS) return
  held += 1
  void answer.finally(() => {
    held -= 1
    if (held === 0) settle()
  })
}

/** Listens to a topic over the stream that all tabs share. Returns the function that ends it. */
export function watchTopic(topic: string, listener: Listener): () => void {
  const all = listeners.get(topic) ?? new Set()
  listeners.set(topic, all.add(listener))
  fresh.add(topic)
  settle()
  return () => {
    all.delete(listener)
    if (all.size === 0 && listeners.get(topic) === all) listeners.delete(topic)
    settle()
  }
}

function settle() {
  clearTimeout(settling)
  const restMs = startedAt + (held > 0 ? FIRST_BEFORE_MS : FIRST_AFTER_MS) - Date.now()
  settling = setTimeout(sendWish, Math.max(SETTLE_MS, restMs))
}

function sendWish() {
  // Pages make topics of their addresses, which people type.
  const topics = isReleased ? [] : [...listeners.keys()].filter(isTopic)
  const wish = { kind: 'wish', tab, topics, fresh: [...fresh] } as const
  fresh.clear()
  if (hub === undefined && Date.now() - heardAt > SILENT_AFTER_MS) liveState.value = 'off'
  if (hub === undefined) send(wish)
  else hub.wish(tab, topics, wish.fresh)
}

function send(message: TabMessage) {
  channel?.postMessage(message)
}

function receive(message: TabMessage) {
  if (message.kind === 'leader') sendWish()
  if (message.kind === 'wish') hub?.wish(message.tab, message.topics, message.fresh)
  if (message.kind === 'state') {
    heardAt = Date.now()
    liveState.value = message.state
    covered.value = new Set(message.topics)
  }
  if (message.kind !== 'event' || (message.to !== undefined && message.to !== tab)) return
  for (const listener of listeners.get(message.event.topic) ?? []) listener(message.event)
}

/** Runs in the one tab that holds the lock. */
function lead() {
  const stream = createStream({
    onEvent: (event) => hub?.received(event),
    onState: (state) => hub?.changed(state),
    onRefused: () => void checkSession(),
  })
  hub = createHub({
    open: (topics) => stream.open(topics),
    publish(message) {
      // To copy each event for nobody costs as much as to read it.
      if (message.kind !== 'event' || hub?.isShared(tab) === true) send(message)
      receive(message)
    },
    now: Date.now,
  })
  setInterval(() => hub?.expire(), REPEAT_WISH_MS)
  send({ kind: 'leader' })
  settle()
}

/** Locks exist in secure contexts only: https, and http on the own machine. */
export function startLive() {
  if (!('locks' in navigator)) {
    liveState.value = 'off'
    return
  }
  channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', (message: MessageEvent<TabMessage>) => receive(message.data))
  // The lock is held until the tab is closed.
  void navigator.locks.request(NAME, () => {
    lead()
    return new Promise<never>(() => {})
  })
  setInterval(sendWish, REPEAT_WISH_MS)
  addEventListener('pagehide', () => send({ kind: 'wish', tab, topics: [], fresh: [] }))
  watchVisibility()
}

function watchVisibility() {
  let releasing: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(releasing)
    if (document.visibilityState === 'visible') {
      isReleased = false
      sendWish()
      return
    }
    releasing = setTimeout(() => {
      isReleased = true
      sendWish()
    }, RELEASE_HIDDEN_MS)
  })
}
