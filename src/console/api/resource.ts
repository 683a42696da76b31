import { signal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Address, type Answer, type AnswerOf, type PathWith, send, urlOf } from './call.ts'
import { isDue, isNews } from './due.ts'
import type { TopicEvent } from './live/events.ts'
import { holdStream, isCovered, liveState, watchTopic } from './live/tabs.ts'
import type { Problem, Result } from './result.ts'
import { signedOut } from './session-state.ts'

const TICK_MS = 1_000
/** No event tells the health of applications: a crash is on the page before somebody asks for it. */
export const HEALTH_EVERY_MS = 10_000
/** Answers that are kept for a return to their page. */
const KEPT_MAX = 60

export interface State<Value> {
  readonly value: Value | undefined
  readonly headers: Headers | undefined
  /** The last attempt failed by it; `undefined` when it succeeded. */
  readonly problem: Problem | undefined
  /** Time of the last success, in milliseconds; 0 before it. */
  readonly at: number
}

/** Takes what comes for a list of a cluster: events of its topic are the list itself. */
interface ListReader {
  readonly hear: (event: TopicEvent) => void
  readonly take: (answer: Result<Answer<unknown>>) => void
}

export interface Entry<Value> {
  readonly url: string
  readonly state: Signal<State<Value>>
  readonly topics: Set<string>
  list: ListReader | undefined
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

/** It has been asked for, with success or not. */
export const isAnswered = ({ value, problem }: Pick<State<unknown>, 'value' | 'problem'>) =>
  value !== undefined || problem !== undefined

export interface Resource<Value> extends State<Value> {
  /** The value is that of the former address; the answer for the present one is on its way. */
  readonly isPending: boolean
  readonly reload: () => Promise<void>
}

export const NOTHING: State<never> = {
  value: undefined,
  headers: undefined,
  problem: undefined,
  at: 0,
}

const kept = new Map<string, Entry<unknown>>()

export function entryOf<Value>(url: string): Entry<Value> {
  const found = kept.get(url)
  if (found !== undefined) return sameUrl<Value>(found)
  const entry: Entry<Value> = {
    url,
    state: signal<State<Value>>(NOTHING),
    topics: new Set(),
    list: undefined,
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
export function sameUrl<Value>(entry: unknown): Entry<Value> {
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
  if (entry.list !== undefined) entry.list.hear(event)
  else if (entry.loading !== undefined) entry.heard = event
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
  if (entry.list !== undefined) {
    // The stream may have begun meanwhile.
    if (!isTold(entry) || before.problem !== undefined) entry.list.take(answer)
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

/** The stream tells its changes. */
const isTold = ({ topics }: Entry<unknown>): boolean =>
  topics.size > 0 && [...topics].every(isCovered)

function isAskedAgain(entry: Entry<unknown>, now: number): boolean {
  const { list, triedAt, state, everyMs } = entry
  const isCoveredNow = isTold(entry)
  if (list !== undefined && isCoveredNow) return false
  return isDue(
    { ...state.peek(), triedAt },
    { now, everyMs, isCovered: isCoveredNow, isSignedOut: signedOut.peek() !== undefined },
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
  if (needsAnswer(entry)) void load(entry)
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

/** A list comes by the stream, if there is one. */
function needsAnswer({ list, users, state }: Entry<unknown>): boolean {
  if (list !== undefined) return users === 1 && liveState.peek() === 'off'
  const { at } = state.peek()
  return at === 0 || Date.now() - at > TICK_MS
}

function forgetOldest() {
  for (const [url, { users }] of kept) {
    if (kept.size <= KEPT_MAX) return
    if (users === 0) kept.delete(url)
  }
}

interface Freshness {
  /** Topic of the event stream whose events make the answer old. */
  readonly topic?: string | undefined
  /** Age at which it is asked for again, where no topic tells. */
  readonly everyMs?: number
  /** It goes with something else, and is asked for again when this changes. */
  readonly version?: string | undefined
}

/**
 * An answer of the API that is kept fresh while its component is shown. A failed refresh keeps the value. With `path`
 * null nothing is asked.
 */
export function useResource<P extends PathWith<'get'>>(
  path: P | null,
  { topic, everyMs, version, ...address }: Address & Freshness = {},
): Resource<AnswerOf<'get', P>> {
  const entry = path === null ? undefined : entryOf<AnswerOf<'get', P>>(urlOf(path, address))
  if (entry !== undefined) entry.everyMs = everyMs
  return useEntry(entry, topic, version)
}

/** Keeps an entry fresh while its component is shown. */
export function useEntry<Value>(
  entry: Entry<Value> | undefined,
  topic?: string,
  version?: string,
): Resource<Value> {
  const former = useRef<State<Value>>(NOTHING)
  const versionBefore = useRef(version)
  useEffect(
    () => (entry === undefined ? undefined : use(sameUrl(entry), topic)),
    [entry?.url, topic],
  )
  const again = () => (entry === undefined ? Promise.resolve() : reload(sameUrl(entry)))
  useEffect(() => {
    if (versionBefore.current !== undefined && versionBefore.current !== version) void again()
    versionBefore.current = version
  }, [version])
  const state = entry?.state.value ?? NOTHING
  const isPending = state.value === undefined && state.problem === undefined
  if (!isPending) former.current = state
  const shown = isPending && entry !== undefined ? former.current : state
  return { ...shown, isPending, reload: again }
}

/** Asks again for everything whose URL begins so: what is shown now, the rest when it is shown next. */
export async function refresh(prefix: string): Promise<void> {
  const changed = [...kept.values()].filter(({ url }) => url.startsWith(prefix))
  for (const { url, users } of changed) if (users === 0) kept.delete(url)
  await Promise.all(changed.filter(({ users }) => users > 0).map(reload))
}
