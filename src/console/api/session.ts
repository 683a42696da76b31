import { signal } from '@preact/signals'
import { here } from '../router.ts'
import { type AnswerOf, call } from './call.ts'
import type { Problem } from './result.ts'
import { checkActsWith, isLeft, signedOut } from './session-state.ts'

export type Session = AnswerOf<'get', '/api/v1/auth/session'>

/** Who is signed in; `undefined` until the first answer. */
export const session = signal<Session | undefined>(undefined)

/** Subject of the person who has signed in in another tab; `null` after a sign-out there. */
type TabMessage = string | null

let tabs: BroadcastChannel | undefined

const tellTabs = (message: TabMessage) => tabs?.postMessage(message)

const ofAnother: Problem = {
  status: 0,
  code: 'unreachable',
  title: 'Somebody else has signed in',
  detail: 'Nothing was sent. This page is loaded again.',
}

/**
 * Asks who is signed in, and answers why that is not known or not the person of the page. Another person than before reloads
 * the page: nothing of the former one may stay.
 */
export async function checkSession(): Promise<Problem | undefined> {
  const answer = await call('get', '/api/v1/auth/session')
  if (!answer.ok) return answer.problem
  const next = answer.value.value
  const before = session.peek()
  if (before !== undefined && before.subject !== next.subject) {
    leaveTo(() => location.reload())
    return ofAnother
  }
  const isNews = before === undefined || signedOut.peek() !== undefined
  signedOut.value = undefined
  session.value = next
  if (isNews) tellTabs(next.subject)
  return undefined
}

/** Shows nothing any more, and goes. */
function leaveTo(go: () => void) {
  isLeft.value = true
  setTimeout(go)
}

/** Groups and the end of the session change while a page is open. */
const CHECK_EVERY_MS = 60_000
/** As long as nobody knows who is signed in. */
const ASK_EVERY_MS = 5_000

export function startSession() {
  const look = () => {
    if (document.visibilityState === 'visible') void checkSession()
  }
  checkActsWith(checkSession)
  tabs = new BroadcastChannel('portico-session')
  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data === null) leaveTo(() => location.reload())
    else if (data !== session.peek()?.subject || signedOut.peek() !== undefined) void checkSession()
  })
  void checkSession()
  setInterval(look, CHECK_EVERY_MS)
  setInterval(() => {
    if (session.peek() === undefined && signedOut.peek() === undefined) look()
  }, ASK_EVERY_MS)
  // Perhaps the person has signed in again in another tab.
  document.addEventListener('visibilitychange', look)
  // Back leads to the page as it was left, which may have been by a sign-out.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) leaveTo(() => location.reload())
  })
}

/** The address of the sign-in that comes back to the present page. */
export const signInUrl = (): string => {
  const login = signedOut.value?.loginUrl ?? '/api/v1/auth/login'
  return `${login}?${new URLSearchParams({ return_to: here.value }).toString()}`
}

/**
 * Ends the session, here and in the other tabs, and leads to the provider's own sign-out where there is one. Answers with the
 * problem, when the person is still signed in.
 */
export async function endSession(onEnd: () => void): Promise<Problem | undefined> {
  const answer = await call('post', '/api/v1/auth/logout')
  if (!answer.ok && answer.problem.status !== 401) return answer.problem
  onEnd()
  tellTabs(null)
  leaveTo(() => location.assign((answer.ok ? answer.value.value.logoutUrl : null) ?? '/'))
  return undefined
}
