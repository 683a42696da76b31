import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium: the browser that needs no download. */
const EXECUTABLE = '/usr/bin/chromium'

export const hasBrowser = existsSync(EXECUTABLE)
if (!hasBrowser) console.warn(`browser tests are skipped: there is no ${EXECUTABLE}`)

/** A real browser without background traffic. `args` are further switches of it. */
export const openBrowser = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
