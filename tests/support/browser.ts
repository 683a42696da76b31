import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { lazily } from '#src/lib/concurrency/lazily.ts'

/** Debian's Chromium, which needs no download. The headless one opens pages three times as fast. */
const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const executable = process.env['PORTICO_CHROMIUM'] ?? EXECUTABLES.find((path) => existsSync(path))

export const hasBrowser = executable !== undefined
if (!hasBrowser) console.warn(`browser tests are skipped: there is no ${EXECUTABLES.join(' or ')}`)

/** A real browser without background traffic. `args` are further switches of it. */
export const openBrowser = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
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

/** One browser for all test files of a process, which ends with it. Its profiles know nothing of each other. */
export const sharedBrowser = lazily(() => openBrowser())
