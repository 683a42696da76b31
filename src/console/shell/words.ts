/** What the frame says to people. */
export const WORDS = {
  ended: 'Your session has ended. You can look, and change nothing.',
  offline: (since: string) => `You are offline. Showing data from ${since}.`,
  lost: (since: string) => `Portico cannot be reached. Showing data from ${since}; trying again.`,
  mistake: 'This page failed.',
  updated: 'This page could not be loaded. Portico may have been updated.',
  partMissing: 'A part of this page is missing. Load the page again.',
  notFound: 'There is no such page',
  signIn: 'Sign in to Portico',
  signInAgain: 'Your session has ended. Sign in to come back to this page.',
  welcome: 'See what is broken, what waits for you, and what runs where.',
  jump: 'Find a page, a service or an act',
  nothingFound: 'Nothing found. Try “promote ledger”, or the state of a pod.',
} as const
