/** What the frame says to people. */
export const WORDS = {
  ended: 'Your session has ended. You can look, but change nothing.',
  offline: (since: string) => `You are offline. Showing data from ${since}.`,
  lost: (since: string) => `Portico cannot be reached. Showing data from ${since}.`,
  mistake: 'This page failed.',
  notLoaded: 'This page could not be loaded.',
  notFound: 'There is no such page',
  signIn: 'Sign in to Portico',
  signInAgain: 'Your session has ended. Sign in to come back to this page.',
  welcome: 'See what is broken, what waits for you, and what runs where.',
} as const
