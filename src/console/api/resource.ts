import { signal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Address, type AnswerOf, type PathWith, send, urlOf } from './call.ts'
import { isDue, isNews } from './due.ts'
import type { TopicEvent } from './live/events.ts'
import { holdStream, isCovered, watchTopic } from './live/tabs.ts'
import type { Problem } from './result.ts'
import { signedOut } from './session-state.ts'

const TICK_MS = 1_000
/** No event tells the health of applications: a crash is on the page before somebody asks for it. */
export const HEALTH_EVERY_MS = 10_000
/** Answers that are kept for a return to their page. */
const KEPT_MAX = 60

interface State<Value> {
  readonly value: Value | undefined
  readonly headers: Headers | undefined
  /** The last attempt failed by it; `undefined` when it succeeded. */
  readonly problem: Problem | undefined
  /** Time of the last success, in milliseconds; 0 before it. */
  readonly at: number
}

interface Entry<Value> {
  readonly url: string
  readonly state: Signal<State<Value>>
  readonly topics: Set<string>
  everyMs: number | undefined
  users: number
  triedAt: number
  loading: Promise<void> | undefined
  /** Something changed after the present request was sent. */
  isOutdated: boolean
  /** The last event of a topic while a request was under way. */
  heard: TopicEvent | undefined
  abort: AbortController | undefined
}

export interface Resource<Value> extends State<Value> {
  /** The value is that of the former address; the answer for the present one is on its way. */
  readonly isPending: boolean
  readonly reload: () => Promise<void>
}

const kept = new Map<string, Entry<unknown>>()

function entryOf<Value>(url: string): Entry<Value> {
  const found = kept.get(url)
  if (found !== undefined) return sameUrl<Value>(found)
  const state = signal<State<Value>>({
    value: undefined,
    headers: undefined,
    problem: undefined,
    at: 0,
  })
  const entry: Entry<Value> = {
    url,
    state,
    topics: new Set(),
    everyMs: undefined,
    users: 0,
    triedAt: 0,
    loading: undefined,
    isOutdated: false,
    heard: undefined,
    abort: undefined,
  }
  kept.set(url, sameUrl<unknown>(entry))
  return entry
}

/** One URL has one type of answer, which its path decides. */
function sameUrl<Value>(entry: unknown): Entry<Value> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return entry as Entry<Value>
}

function load(entry: Entry<unknown>): Promise<void> {
  if (entry.loading !== undefined) return entry.loading
  const loading = ask(entry).finally(() => {
    if (entry.loading !== loading) return
    entry.loading = undefined
    const { isOutdated, heard } = entry
    entry.isOutdated = false
    entry.heard = undefined
    const isOld = isOutdated || (heard !== undefined && tellsNews(entry, heard))
    if (isOld && entry.users > 0) void load(entry)
  })
  entry.loading = loading
  holdStream(loading)
  return loading
}

/** An answer that is on its way may be from before the change. */
function reload(entry: Entry<unknown>): Promise<void> {
  entry.isOutdated = entry.loading !== undefined
  return load(entry)
}

function hear(entry: Entry<unknown>, event: TopicEvent) {
  if (entry.loading !== undefined) entry.heard = event
  else if (tellsNews(entry, event)) void load(entry)
}

/** No answer that was asked for after one of this revision is older than the revision. */
const tellsNews = (entry: Entry<unknown>, event: TopicEvent): boolean =>
  [...kept.values()].every(({ topics, state }) => {
    const { headers, at } = state.peek()
    const isBefore = state === entry.state || (topics.has(event.topic) && at <= entry.triedAt)
    return !isBefore || isNews(headers, event)
  })

async function ask(entry: Entry<unknown>): Promise<void> {
  const abort = new AbortController()
  entry.abort = abort
  entry.triedAt = Date.now()
  const before = entry.state.peek()
  const etag = before.headers?.get('etag')
  const headers = {
    accept: 'application/json',
    ...(typeof etag === 'string' && { 'if-none-match': etag }),
  }
  const answer = await send<unknown>(entry.url, { headers, signal: abort.signal })
  if (abort.signal.aborted) {
    // Another attempt may be on its way already.
    if (entry.abort === abort) entry.triedAt = 0
    return
  }
  if (!answer.ok) {
    entry.state.value = { ...before, problem: answer.problem }
    return
  }
  const { status, value, headers: received } = answer.value
  const isSame = status === 304
  entry.state.value = {
    value: isSame ? before.value : value,
    headers: isSame && before.headers !== undefined ? before.headers : received,
    problem: undefined,
    at: Date.now(),
  }
}

function isAskedAgain({ topics, triedAt, state, everyMs }: Entry<unknown>, now: number): boolean {
  return isDue(
    { ...state.peek(), triedAt },
    {
      now,
      everyMs,
      isCovered: topics.size > 0 && [...topics].every(isCovered),
      isSignedOut: signedOut.peek() !== undefined,
    },
  )
}

function refreshDue() {
  if (document.visibilityState !== 'visible') return
  const now = Date.now()
  for (const entry of kept.values()) {
    if (entry.users > 0 && isAskedAgain(entry, now)) void load(entry)
  }
}

export function startRefreshing() {
  setInterval(refreshDue, TICK_MS)
  document.addEventListener('visibilitychange', refreshDue)
}

function use(entry: Entry<unknown>, topic: string | undefined): () => void {
  entry.users += 1
  if (topic !== undefined) entry.topics.add(topic)
  const { at } = entry.state.peek()
  if (at === 0 || Date.now() - at > TICK_MS) void load(entry)
  const unwatch = topic === undefined ? undefined : watchTopic(topic, (event) => hear(entry, event))
  return () => {
    unwatch?.()
    entry.users -= 1
    if (entry.users > 0) return
    entry.abort?.abort()
    entry.loading = undefined
    forgetOldest()
  }
}

function forgetOldest() {
  for (const [url, { users }] of kept) {
    if (kept.size <= KEPT_MAX) return
    if (users === 0) kept.delete(url)
  }
}

export interface ResourceOptions extends Address {
  /** Topic of the event stream whose events make the answer old. */
  readonly topic?: string | undefined
  /** Age at which it is asked for again, where no topic tells. */
  readonly everyMs?: number
}

const NOTHING: State<never> = { value: undefined, headers: undefined, problem: undefined, at: 0 }

/**
 * An answer of the API that is kept fresh while its component is shown. A failed refresh keeps the value. With `path`
 * null nothing is asked.
 */
export function useResource<P extends PathWith<'get'>>(
  path: P | null,
  { topic, everyMs, ...address }: ResourceOptions = {},
): Resource<AnswerOf<'get', P>> {
  type Value = AnswerOf<'get', P>
  const url = path === null ? null : urlOf(path, address)
  const entry = url === null ? undefined : entryOf<Value>(url)
  if (entry !== undefined) entry.everyMs = everyMs
  const former = useRef<State<Value>>(NOTHING)
  useEffect(() => (entry === undefined ? undefined : use(sameUrl(entry), topic)), [url, topic])

  const state = entry?.state.value ?? NOTHING
  const isPending = state.value === undefined && state.problem === undefined
  if (!isPending) former.current = state
  const shown = isPending && url !== null ? former.current : state
  return {
    ...shown,
    isPending,
    reload: () => (entry === undefined ? Promise.resolve() : reload(sameUrl(entry))),
  }
}

/** Asks again for everything whose URL begins so: what is shown now, the rest when it is shown next. */
export function refresh(prefix: string): void {
  for (const [url, entry] of kept) {
    if (!url.startsWith(prefix)) continue
    if (entry.users > 0) void reload(entry)
    else kept.delete(url)
  }
}
