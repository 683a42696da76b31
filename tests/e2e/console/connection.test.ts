import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

/** A phone at the edge of a network. */
const SLOW = { offline: false, latency: 300, downloadThroughput: 40_000, uploadThroughput: 20_000 }
const LAYOUT_SHIFT = `new Promise((done) => {
  new PerformanceObserver((list) =>
    done(list.getEntries().reduce((total, { value }) => total + value, 0)),
  ).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => done(0), 300)
})`

describe.if(hasBrowser || mustHaveAll)('the catalog', () => {
  const portal = shared(startConsole)

  const row = (page: Page, name = 'Payments API') => page.getByRole('link', { name })

  test('keeps what it shows when the session ends, and comes back after sign-in', async () => {
    const page = await portal().open('/catalog', { as: 'outsider' })
    await row(page).waitFor()
    await page.getByRole('searchbox').fill('pay')
    const platform = await portal().profile({ as: 'platform' })
    const data = { subject: 'outsider' }
    const revoked = await platform.request.post('/api/v1/auth/sessions/revoke', { data })
    expect(revoked.status()).toBe(200)
    await page.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor()
    expect(await row(page).isVisible()).toBe(true)
    const signIn = page.getByRole('link', { name: 'Sign in again' })
    await page.getByRole('link', { name: 'Problems', exact: true }).click()
    expect(await signIn.getAttribute('href')).toEndWith('return_to=%2Fproblems')
    await page.goBack()
    await signIn.click()
    await page.getByRole('button', { name: /Oskar/ }).click()
    await row(page).waitFor()
    expect(new URL(page.url()).search).toBe('?q=pay')
    await expectClean(page)
  })

  test('belongs to one person: another one in the same browser gets their own, and no more rights', async () => {
    const profile = await portal().profile({ as: 'manager' })
    const page = await portal().open('/entities/component/payments-api', profile)
    const promote = page.getByRole('button', { name: /^Promote to staging/ })
    await promote.waitFor()
    expect(await promote.getAttribute('aria-disabled')).toBe(null)
    await profile.request.post('/dev/sign-in', { form: { user: 'dev' } })
    // The page may notice by itself at the same moment, and its own reload then ends this one.
    await page.reload().catch(() => {})
    await page.getByRole('button', { name: /Dana Okafor/ }).waitFor()
    expect(await promote.getAttribute('aria-disabled')).toBe('true')
    await expectClean(page)
  })

  test('says in words what a slow network leads to, and nothing jumps', async () => {
    const profile = await portal().profile()
    const page = await profile.newPage()
    const session = await profile.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', SLOW)
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/v1/catalog/entities*', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.goto('/catalog')
    await page.getByText('Loading…').waitFor()
    answer.resolve()
    await row(page).waitFor()
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.05)
    await expectClean(page)
  })

  test('asks again who is signed in when that could not be told', async () => {
    const profile = await portal().profile()
    const page = await profile.newPage()
    await page.route('**/auth/session', (route) => route.fulfill({ status: 503, body: 'busy' }), {
      times: 1,
    })
    await page.goto('/catalog')
    await page.getByRole('button', { name: /Dana Okafor/ }).waitFor()
  })

  test('says that the computer is offline, and keeps what it shows', async () => {
    const page = await portal().open('/catalog')
    await row(page).waitFor()
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    expect(await row(page).isVisible()).toBe(true)
    await page.context().setOffline(false)
    await page.getByText('You are offline.').waitFor({ state: 'hidden' })
    await expectClean(page, /ERR_INTERNET_DISCONNECTED/)
  })

  test('says that Portico does not answer while it starts again, and goes on by itself', async () => {
    const page = await portal().open('/catalog')
    await row(page).waitFor()
    await portal().stop()
    await page.getByText('Portico cannot be reached.').waitFor()
    expect(await row(page).isVisible()).toBe(true)
    await page.getByRole('searchbox').fill('ledger')
    await page.getByText('Portico does not answer').waitFor()
    await portal().start()
    await row(page, 'Ledger queries').waitFor()
    await row(page).waitFor({ state: 'hidden' })
    await page.getByText('Portico does not answer').waitFor({ state: 'hidden' })
    await page.getByText('Portico cannot be reached.').waitFor({ state: 'hidden' })
    await expectClean(page, /ERR_|status of 503/)
  })
})
