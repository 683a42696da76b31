/** What the page of the client says to people. */
export const WORDS = {
  none: 'No release yet',
  notPublished: 'The platform team has not published the client yet.',
  install: 'Install it',
  below: 'Download the file for your machine below and put it on your PATH.',
  folder: 'Put it in a folder on your PATH.',
  place: 'Put it on your PATH:',
  powershell: 'Check it in PowerShell. True means it is the published file:',
  signIn: 'Sign in. Your browser opens and asks you to approve; no password is stored.',
  digestLater: 'SHA-256 is known after the first download',
} as const
