import { endSession } from '../api/session.ts'
import { announce } from './announce.ts'
import { RECENT, SINGLE_KEYS, store, stored, THEME } from './stored.ts'

/** Leaves nothing of the person in this browser. */
export async function signOut(): Promise<void> {
  const choices = [THEME, SINGLE_KEYS].map((key) => [key, stored(key)] as const)
  const problem = await endSession(() => {
    store(RECENT, '')
    // By `Clear-Site-Data` a sign-out clears the storage.
    for (const [key, text] of choices) if (text !== null) store(key, text)
  })
  if (problem !== undefined) announce(`You are still signed in. ${problem.title}.`)
}
