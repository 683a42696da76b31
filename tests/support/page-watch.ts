import { expect } from 'bun:test'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'

/** A round through the page's event loop: reports of what was done before it have come. */
const ROUND = 'new Promise((done) => setTimeout(done))'
/** Chromium's own line for an answer with a status from 400 on. The page has to show that failure itself. */
const FAILED_ANSWER = /^Failed to load resource: the server responded with a status of 4\d\d /
/** Schemes of requests that leave the browser. `data:` and `blob:` do not. */
const NETWORK = /^(https?|wss?):/

/** Lines such as `policy: style-src-attr (kInlineViolation)`, by page. */
const complaintsOf = new WeakMap<Page, string[]>()

/**
 * Watches all pages that a context opens from now on: violations of the content security policy, requests to other origins than
 * `origin`, errors that were not caught, and errors on the console.
 */
export function watchContext(context: BrowserContext, origin: string): void {
  context.on('page', (page) => void watchPage(page, origin))
}

/** Opens a page of a watched context; the browser's own reports are on before its first navigation. */
export async function openWatched(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage()
  await watchPage(page, origin)
  return page
}

const started = new WeakMap<Page, Promise<CDPSession>>()

function watchPage(page: Page, origin: string): Promise<CDPSession> {
  const known = started.get(page)
  if (known !== undefined) return known
  const complaints: string[] = []
  complaintsOf.set(page, complaints)
  const add = (kind: 'policy' | 'elsewhere' | 'error' | 'console', text: string) =>
    void complaints.push(`${kind}: ${text}`)
  page.on('request', (request) => {
    const url = request.url()
    if (NETWORK.test(url) && new URL(url).host !== new URL(origin).host) add('elsewhere', url)
  })
  page.on('pageerror', (error) => add('error', error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_ANSWER.test(message.text()))
      add('console', message.text())
  })
  const watching = watchPolicy(page, (text) => add('policy', text))
  started.set(page, watching)
  return watching
}

/** The browser's list of issues, which no script of the page can hide. */
async function watchPolicy(page: Page, add: (text: string) => void): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  session.on('Audits.issueAdded', ({ issue }) => {
    const found = issue.details.contentSecurityPolicyIssueDetails
    if (found !== undefined)
      add(`${found.violatedDirective} (${found.contentSecurityPolicyViolationType})`)
  })
  await session.send('Audits.enable')
  return session
}

/** All that was wrong on a page since it was opened. */
export async function complaintsAbout(page: Page): Promise<readonly string[]> {
  await page.evaluate(ROUND)
  return complaintsOf.get(page) ?? ['this page is not watched']
}

/** Fails on any complaint about a page except those that the test has caused itself. */
export async function expectClean(page: Page, ...caused: readonly RegExp[]): Promise<void> {
  const found = await complaintsAbout(page)
  const complaints = found.filter((line) => !caused.some((pattern) => pattern.test(line)))
  const url = page.url()
  expect({ url, complaints }).toStrictEqual({ url, complaints: [] })
}
