import { signal } from '@preact/signals'
import type * as Later from './later.ts'

/** The code that is fetched after the first page, with its style sheet; `undefined` until it is there. */
export const later = signal<typeof Later | undefined>(undefined)

/** A file could not be fetched: after an update of Portico it has another name. */
export const isLaterMissing = signal(false)

let loading: Promise<void> | undefined

export function loadLater(): Promise<void> {
  loading ??= load().finally(() => {
    loading = undefined
  })
  return loading
}

async function load() {
  if (later.value !== undefined) return
  try {
    later.value = await import('./later.ts')
    isLaterMissing.value = false
  } catch {
    isLaterMissing.value = true
  }
}

/** Time for the first page to be drawn where the browser does not tell when it is idle. */
const IDLE_AFTER_MS = 2_000

/** Fetches the code before somebody goes to another page. */
export function loadLaterWhenIdle() {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void loadLater())
  else setTimeout(() => void loadLater(), IDLE_AFTER_MS)
}
