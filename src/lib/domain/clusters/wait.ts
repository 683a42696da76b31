import { setTimeout as sleep } from 'node:timers/promises'

/** Does nothing for a while, or until the signal ends. */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
