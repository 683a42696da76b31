import { signal } from '@preact/signals'

/** The dialog that is open above the page, whichever page it is. */
export const overlay = signal<'palette' | 'keys' | undefined>(undefined)

export const closeOverlay = () => {
  overlay.value = undefined
}
