import { PATHS } from '../paths.ts'

export type KeyAct =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'search' | 'keys' | 'next_row' | 'previous_row' }
  /** The page's own control for the key, found by `aria-keyshortcuts`. */
  | { readonly kind: 'press'; readonly key: string }

export interface Key {
  /** Pressed one after the other. */
  readonly keys: readonly string[]
  readonly label: string
  readonly act: KeyAct
}

const go = (key: string, label: string, path: string): Key => ({
  keys: ['g', key],
  label,
  act: { kind: 'go', path },
})

const pressing = (key: string, label: string): Key => ({
  keys: [key],
  label,
  act: { kind: 'press', key },
})

/** Shortcuts without Ctrl, Alt or Cmd. People who dictate or hit keys by chance turn them off (WCAG 2.1.4). */
export const KEYS: readonly Key[] = [
  { keys: ['/'], label: 'Search', act: { kind: 'search' } },
  { keys: ['j'], label: 'Next row', act: { kind: 'next_row' } },
  { keys: ['k'], label: 'Previous row', act: { kind: 'previous_row' } },
  pressing('p', 'Promote or confirm'),
  pressing('r', 'Release'),
  pressing('l', 'Logs'),
  go('h', 'Go home', PATHS.home),
  go('c', 'Go to the catalog', PATHS.catalog),
  go('n', 'Start a new project', PATHS.templates),
  go('k', 'Go to the clusters', PATHS.clusters),
  go('p', 'Go to the problems', PATHS.problems),
  go('a', 'Go to the audit', PATHS.audit),
  { keys: ['?'], label: 'All keys', act: { kind: 'keys' } },
]

/** Time between two keys of a sequence. */
export const SEQUENCE_MS = 1_500

/** Keys that were pressed and are the beginning of a sequence. */
export interface Begun {
  readonly keys: readonly string[]
  readonly at: number
}

export const NOTHING_BEGUN: Begun = { keys: [], at: 0 }

export interface Pressed {
  readonly begun: Begun
  readonly act: KeyAct | undefined
}

/** Takes a key. One that does not go on with a sequence may begin another. */
export function press(begun: Begun, key: string, now: number): Pressed {
  const before = now - begun.at > SEQUENCE_MS ? [] : begun.keys
  const keys = [...before, key]
  const candidates = KEYS.filter((each) => keys.every((pressed, at) => each.keys[at] === pressed))
  const found = candidates.find((each) => each.keys.length === keys.length)
  if (found !== undefined) return { begun: NOTHING_BEGUN, act: found.act }
  if (candidates.length > 0) return { begun: { keys, at: now }, act: undefined }
  return before.length > 0
    ? press(NOTHING_BEGUN, key, now)
    : { begun: NOTHING_BEGUN, act: undefined }
}

/** Position of the row to go to; rows end at both ends. Without a present row it is the first one. */
export function nextRow(present: number, count: number, step: 1 | -1): number {
  if (present < 0) return 0
  return Math.min(Math.max(present + step, 0), count - 1)
}
