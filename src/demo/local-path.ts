/** Printable ASCII. Browsers read a backslash as a slash, and a second slash starts a host name. */
const LOCAL_PATH = /^\/(?!\/)[!-[\]-~]*$/
const LENGTH_MAX = 2_000

/** The text if a redirect to it stays on this site. */
export const localPath = (text: string | null | undefined): string | undefined =>
  text != null && text.length <= LENGTH_MAX && LOCAL_PATH.test(text) ? text : undefined
