import { signal } from '@preact/signals'
import type { Problem } from './result.ts'

/** Refusal of the last request that needed a session; `undefined` while the session is good. */
export const signedOut = signal<Problem | undefined>(undefined)

export function noteUnauthorized(problem: Problem) {
  // A stale session goes on reading; only the refused act says so.
  if (problem.code === 'session_stale' || problem.code === 'webhook_unauthorized') return
  signedOut.value = problem
}

/** The page is left: it shows nothing any more, and acts for nobody. */
export const isLeft = signal(false)

type Check = () => Promise<Problem | undefined>

let check: Check = async () => undefined

/** The session is made of requests itself, so that it says here what acts have to ask first. */
export function checkActsWith(checkPerson: Check) {
  check = checkPerson
}

/** Why an act must not be sent: the cookie may be of somebody else by now. */
export const refusalOfAct: Check = () => check()
