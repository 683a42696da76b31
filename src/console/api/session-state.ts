import { signal } from '@preact/signals'
import type { Problem } from './result.ts'

/** Refusal of the last request that needed a session; `undefined` while the session is good. */
export const signedOut = signal<Problem | undefined>(undefined)

export function noteUnauthorized(problem: Problem) {
  // A stale session goes on reading; only the refused act says so.
  if (problem.code === 'session_stale' || problem.code === 'webhook_unauthorized') return
  signedOut.value = problem
}
