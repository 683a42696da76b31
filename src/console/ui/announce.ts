import { signal } from '@preact/signals'

/** Text of the status region and of the note at the bottom of the window. */
export const announcement = signal('')

const SHOWN_MS = 6_000
let timer: ReturnType<typeof setTimeout> | undefined

/** Says the end of an action to everybody: screen readers read it, others see it for a few seconds. */
export function announce(text: string) {
  clearTimeout(timer)
  announcement.value = text
  timer = setTimeout(() => {
    announcement.value = ''
  }, SHOWN_MS)
}
