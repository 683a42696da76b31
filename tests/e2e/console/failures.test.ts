import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { type ConsoleUnderTest, startConsole, visit } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'

/** A page, and a text that it has when its answers come. */
const PAGES = [
  ['/', 'Carrier bridge'],
  ['/catalog', 'Payments API'],
  ['/entities/component/payments-api', '1.5.0-rc.3'],
  ['/new', 'Bun HTTP service'],
  ['/new/bun-service', 'Start the project'],
  ['/clusters', 'payments-dev'],
  ['/problems', 'deficient indentation'],
  ['/audit?action=all', 'Signed in'],
  ['/cli', 'Install it on Linux'],
  ['/sessions', 'this browser'],
] as const
const WAITS = /^(Loading|Reading|Looking)/
const REQUEST_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

/** The session is good, and everything else fails; `retryAfter`: seconds until the page asks again by itself. */
async function failEverything(route: Route, retryAfter: number): Promise<void> {
  const path = new URL(route.request().url()).pathname
  if (path === '/api/v1/auth/session') return route.continue()
  await route.fulfill({
    status: 503,
    contentType: 'application/problem+json',
    headers: { 'retry-after': String(retryAfter) },
    body: JSON.stringify({
      type: 'urn:portico:problem:planted',
      code: 'planted',
      title: 'The planted failure',
      status: 503,
      requestId: REQUEST_ID,
    }),
  })
}

const fail = (route: Route) => failEverything(route, 1)
/** Nobody but the person at the button tries again. */
const failForLong = (route: Route) => failEverything(route, 600)

const hasText = (page: Page, text: string) =>
  page
    .getByText(text)
    .first()
    .waitFor({ timeout: 500 })
    .then(
      () => true,
      () => false,
    )

async function pressAll(page: Page, name: string): Promise<void> {
  for (const button of await page.getByRole('button', { name }).all()) {
    await button.dispatchEvent('click', undefined, { timeout: 500 }).catch(() => {})
  }
}

describe.if(hasBrowser || mustHaveAll)('when answers fail', () => {
  let portal: ConsoleUnderTest
  let profile: BrowserContext
  /** One for all: a new one is a new process of the browser. */
  let page: Page
  beforeAll(async () => {
    portal = await startConsole()
    profile = await portal.profile({ as: 'platform' })
    page = await portal.open('/', profile)
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  test.each(PAGES)(
    '%s says so, with the request, and shows “%s” after another try',
    async (path, text) => {
      await profile.route('**/api/v1/**', failForLong)
      await visit(page, path)
      await page.getByText('The planted failure').first().waitFor()
      await page.getByText(REQUEST_ID).first().waitFor()
      expect(await page.getByText(WAITS).count()).toBe(0)

      // A live stream would read the page again by itself.
      await profile.route('**/api/v1/events?**', failForLong)
      await profile.unroute('**/api/v1/**', failForLong)
      await page.getByRole('button', { name: 'Try again' }).first().waitFor()
      // One answer brings parts with failures of their own, and removes the buttons of others.
      while (!(await hasText(page, text))) await pressAll(page, 'Try again')
      await expectClean(page, /status of 503/)
      await profile.unroute('**/api/v1/events?**', failForLong)
    },
  )

  test('a watched list says that it asks again, and does', async () => {
    const profile = await portal.profile()
    await profile.route('**/api/v1/**', fail)
    const page = await portal.open('/clusters/dev-east/payments-dev', profile)
    await page.getByText('The planted failure').first().waitFor()
    await page.getByText('Portico asks again by itself').first().waitFor()
    expect(await violationsOf(page)).toStrictEqual([])
    await profile.unroute('**/api/v1/**', fail)
    await page.getByRole('rowheader', { name: 'checkout-web', exact: true }).first().waitFor()
    await expectClean(page, /status of 503/)
  })
})
