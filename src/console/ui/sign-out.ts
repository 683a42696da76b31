import { endSession } from '../api/session.ts'
import { announce } from './announce.ts'
import { forgetRecent } from './stored.ts'

/** Leaves nothing of the person in this browser. */
export async function signOut(): Promise<void> {
  const problem = await endSession()
  if (problem === undefined) forgetRecent()
  else announce(`You are still signed in. ${problem.title}.`)
}
