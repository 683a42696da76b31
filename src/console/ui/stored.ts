/** Choices of a person in this browser. Storage is closed to pages in some private windows: then nothing is kept. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key: string, text: string) {
  try {
    localStorage.setItem(key, text)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Recent choices of the person. */
export const RECENT = 'portico-recent'

/** Choices for the browser, which outlive a sign-out. */
export const THEME = 'portico-theme'
export const SINGLE_KEYS = 'portico-keys'
