import { signal } from '@preact/signals'
import { type AnswerOf, call } from './call.ts'
import { signedOut } from './session-state.ts'

export type Session = AnswerOf<'get', '/api/v1/auth/session'>

/** Who is signed in; `undefined` until the first answer. */
export const session = signal<Session | undefined>(undefined)

/** Asks who is signed in. Another person than before reloads the page: nothing of the former one may stay. */
export async function checkSession(): Promise<void> {
  const answer = await call('get', '/api/v1/auth/session')
  if (!answer.ok) return
  const next = answer.value.value
  const before = session.peek()
  if (before !== undefined && before.subject !== next.subject) {
    location.reload()
    return
  }
  signedOut.value = undefined
  session.value = next
}

/** Groups and the end of the session change while a page is open. */
const CHECK_EVERY_MS = 60_000

export function startSession() {
  const look = () => {
    if (document.visibilityState === 'visible') void checkSession()
  }
  void checkSession()
  setInterval(look, CHECK_EVERY_MS)
  // Perhaps the person has signed in again in another tab.
  document.addEventListener('visibilitychange', look)
}

/** Where to sign in, to come back to the present page. */
export const signInUrl = (): string => {
  const login = signedOut.value?.loginUrl ?? '/api/v1/auth/login'
  const returnTo = `${location.pathname}${location.search}`
  return `${login}?${new URLSearchParams({ return_to: returnTo }).toString()}`
}

/** Ends the session, and leads to the provider's own sign-out where there is one. */
export async function signOut(): Promise<void> {
  const answer = await call('post', '/api/v1/auth/logout')
  location.assign((answer.ok ? answer.value.value.logoutUrl : null) ?? '/')
}
