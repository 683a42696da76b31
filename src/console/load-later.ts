import { signal } from '@preact/signals'
import type * as Later from './later.ts'

/** The code that is fetched after the first page, with its style sheet; `undefined` until both are there. */
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
    const [code] = await Promise.all([import('./later.ts'), loadStyle()])
    later.value = code
    isLaterMissing.value = false
  } catch {
    isLaterMissing.value = true
  }
}

/** The second style sheet. The document has its address, as its name has the digest of its content. */
const loadStyle = () =>
  new Promise<void>((resolve, reject) => {
    const named = document.querySelector<HTMLMetaElement>('meta[name=later-style]')
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = named?.content ?? ''
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => {
      link.remove()
      reject(new Error('the second style sheet is missing'))
    })
    document.head.append(link)
  })

/** Time for the first page to be drawn where the browser does not tell when it is idle. */
const IDLE_AFTER_MS = 2_000

/** Fetches the code before somebody goes to another page. */
export function loadLaterWhenIdle() {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void loadLater())
  else setTimeout(() => void loadLater(), IDLE_AFTER_MS)
}
