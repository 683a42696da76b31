/** Printable ASCII without backslash, which browsers read as a slash; a second slash would begin another host. */
const LOCAL_PATH = /^\/(?!\/)[!-[\]-~]*$/
const LENGTH_MAX = 2_000

/** The text, if a redirect to it cannot leave this site. */
export const localPath = (text: string | null | undefined): string | undefined =>
  text != null && text.length <= LENGTH_MAX && LOCAL_PATH.test(text) ? text : undefined
