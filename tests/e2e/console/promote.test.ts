import { describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

const PAYMENTS = '/entities/component/payments-api'
const LEDGER = '/entities/component/ledger'
const SECRET = 'sk_live_never_shown'
/** Its pods come and go by themselves. */
const DOWN = {
  entity: { kind: 'Component', name: 'payments-api', title: null },
  environment: 'dev',
  cluster: 'dev-east',
  namespace: 'payments-dev',
  health: 'Degraded',
  reason: 'OOMKilled',
  message: '2 of 2 pods: OOMKilled',
  since: '2026-11-21T09:30:00.000Z',
}
/** Clicks, and answers what has the focus in the next task. */
const ADD_SECRET = `
  document.querySelector('.act-secrets > .button').click()
  new Promise((done) => setTimeout(() => done(document.activeElement.id)))`

describe.if(hasBrowser || mustHaveAll)('an entity', () => {
  const portal = shared(startConsole)

  const button = (on: Page | Locator, name: string | RegExp) => on.getByRole('button', { name })
  const untilFocused = (page: Page, text: string) =>
    page.locator(':focus').filter({ hasText: text }).waitFor()

  /** Clicks what opens a dialog. */
  async function opened(page: Page, act: string, title: string | RegExp): Promise<Locator> {
    await button(page, act).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.getByRole('heading', { name: title }).waitFor()
    return dialog
  }

  async function merge(number: number) {
    const page = await portal().open(`/git/acme/gitops/pulls/${number}`, { as: 'platform' })
    await button(page, /merge/i).click()
    await page
      .getByText(/merged/i)
      .first()
      .waitFor()
    await page.context().close()
  }

  test('is promoted by a manager, merged at the git host, and confirmed', async () => {
    const profile = await portal().profile({ as: 'manager' })
    await profile.route(/\/api\/v1\/health\?/, (route) => route.fulfill({ json: [DOWN] }))
    const page = await portal().open(PAYMENTS, profile)
    const sheet = await opened(page, 'Promote to staging…', 'Promote payments-api to staging')
    const preview = sheet.getByRole('region', { name: 'Preview' })
    await preview.getByText('3 files in “[Promote] payments/payments-api → staging”').waitFor()
    await preview.getByText('newTag: 1.5.0-rc.3').waitFor()

    const replicas = sheet.getByRole('textbox', { name: 'Replicas' })
    const open = button(sheet, 'Open the pull request')
    await replicas.fill('500')
    await sheet.getByText('must be at most 100').waitFor()
    await open.click()
    await sheet.getByText('Correct the marked fields').waitFor()
    expect(await replicas.getAttribute('aria-invalid')).toBe('true')
    await page.locator(':focus[name="/overlayConfig/replicas"]').waitFor()
    expect(await violationsOf(page)).toStrictEqual([])
    await replicas.fill('3')
    await preview.getByText('replicas: 3').waitFor()

    // The new field has the focus in the task of the click: no key can be earlier.
    expect(await page.evaluate(ADD_SECRET)).toEndWith('/name')
    await page.keyboard.type('STRIPE_KEY')
    await button(sheet, 'Add a secret').click()
    await button(sheet, 'Remove secret 2').click()
    await untilFocused(page, 'Add a secret')
    await sheet.getByLabel('Value 1').fill(SECRET)
    await preview.getByText(/STRIPE_KEY: written to .* at once, without review/).waitFor()
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await button(question, 'Keep editing').click()
    // The browser's Back asks too, and the sheet stays.
    await page.goBack()
    await button(question, 'Keep editing').click()
    expect(new URL(page.url()).search).toBe('?do=promote&environment=staging')
    // What would go on is down, and is said first.
    await sheet.getByRole('alert').getByText('dev: degraded').waitFor()
    await open.click()
    const anyway = page.getByRole('dialog', { name: 'dev is degraded' })
    await button(anyway, 'Go back').click()
    await page.keyboard.press('Control+Enter')
    await button(anyway, 'Open the pull request anyway').dblclick()
    await sheet.waitFor({ state: 'detached' })
    const line = page.getByRole('status').filter({ hasText: 'Pull request #4 is open' })
    await line.getByText(/version 1\./).waitFor()
    await line.getByText(/Then platform-team or payments:Managers confirms/).waitFor()
    expect(await page.content()).not.toContain(SECRET)
    expect(page.url()).toBe(`${portal().url}${PAYMENTS}`)

    const pending = button(page, 'Confirm staging')
    await pending.getByText('PR #4 pending').waitFor()
    expect(await pending.getAttribute('aria-disabled')).toBe('true')
    await merge(4)
    await pending.and(page.locator(':not([aria-disabled])')).click()
    await page.getByText('payments-api is in staging.').waitFor()
    await page.getByText('To undo, set its lifecycle back to development in its file.').waitFor()
    await button(page, 'Release to staging…').waitFor()
    await expectClean(page)
  })

  test('shows a member of the team what it needs, and why', async () => {
    const page = await portal().open('/entities/component/returns-portal', { as: 'dev' })
    const needs = /^Needs platform-team or .*:Managers\. Ask a member of one of them\.$/
    const refused = button(page, /^Promote to staging…/)
    await refused.getByText(/Needs platform-team/).waitFor()
    await page.goto('/entities/component/returns-portal?do=promote&environment=staging')
    const dialog = page.getByRole('dialog', { name: 'Promote to staging' })
    await dialog.getByText(needs).waitFor()
    await button(dialog, 'Close').last().click()
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    await page.goto('/entities/component/returns-portal?do=confirm&environment=qa')
    await page
      .getByRole('dialog')
      .getByText(/no environment “qa”/)
      .waitFor()
    await expectClean(page)
  })

  test('is released and rolled back, through a server that goes and comes back', async () => {
    const page = await portal().open(LEDGER, { as: 'platform' })
    await page.goto('/clusters')
    await page.goto(LEDGER)
    const closed = await opened(page, 'Release to production…', 'Release ledger to production')
    await button(closed, 'Cancel').dblclick()
    await closed.waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${portal().url}${LEDGER}`)
    const sheet = await opened(page, 'Release to production…', 'Release ledger to production')
    const open = button(sheet, /^Open the pull request/)
    expect(await open.getAttribute('aria-disabled')).toBe('true')
    await sheet
      .getByRole('combobox', { name: 'Version' })
      .selectOption({ label: '4.12.0, as in staging' })
    await sheet.getByText('newTag: 4.12.0').waitFor()
    await portal().stop()
    await open.click()
    await sheet.getByText('You can safely try again.').waitFor()
    await portal().start()
    await open.click()
    await sheet.waitFor({ state: 'detached' })
    await page.getByText(/It goes live in production when it is merged\./).waitFor()

    const state = await page.request.get(`/api/v1/catalog${PAYMENTS}/promotion`)
    const { environments } = (await state.json()) as {
      environments: { name: string; deployedAt: string }[]
    }
    const since = environments.find(({ name }) => name === 'dev')?.deployedAt
    await page.route(/\/api\/v1\/health\?/, (route) =>
      route.fulfill({ json: [{ ...DOWN, since }] }),
    )
    await page.goto(PAYMENTS)
    await page.getByText(/^dev broke with 1\./).waitFor()
    await button(page, 'Undo release').click()
    const rollback = page.getByRole('dialog', { name: 'Roll payments-api back in dev' })
    await rollback.getByText('newTag: 1.5.0-rc.1').waitFor()
    await rollback.getByRole('combobox', { name: 'Back to' }).selectOption({ index: 1 })
    await rollback.getByText('newTag: 1.5.0-rc.1').waitFor()
  })

  test('is promoted after a sign-in that was asked for, with what was typed before', async () => {
    const page = await portal().open('/entities/component/returns-portal?do=promote', {
      as: 'platform',
    })
    const sheet = page.getByRole('dialog', { name: 'Promote returns-portal to staging' })
    await sheet.getByRole('textbox', { name: 'Message' }).fill('For the fair')
    const act = (url: URL) => url.pathname.endsWith('/promotion') && url.search === ''
    const stale = { code: 'session_stale', title: 'Sign in again for this', status: 401 }
    await page.route(act, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 401, json: stale })
        : route.continue(),
    )
    const open = button(sheet, 'Open the pull request')
    await open.click()
    await sheet.getByText('Your input is kept').waitFor()
    const link = sheet.getByRole('link', { name: 'Sign in again, in a new tab' })
    expect(await link.getAttribute('href')).toStartWith('/api/v1/auth/login?return_to=')
    await page.unroute(act)
    await open.click()
    await sheet.waitFor({ state: 'detached' })
    const line = page.getByRole('status').filter({ hasText: /^Pull request #\d+ is open/ })
    await line.getByRole('link', { name: /^Open #\d+/ }).click()
    await page.getByText('For the fair').first().waitFor()
    await expectClean(page)
  })

  test('is deprecated for a reason, on a phone', async () => {
    const page = await portal().open(`${LEDGER}?do=deprecate`, {
      as: 'platform',
      width: 390,
      scheme: 'dark',
    })
    const sheet = page.getByRole('dialog', { name: 'Deprecate ledger' })
    await sheet.getByRole('textbox', { name: 'Reason' }).fill('Two ledgers are one too many')
    await sheet.getByRole('combobox', { name: 'Replaced by' }).fill('component:shipping-api')
    await sheet.getByText('portico/deprecated-replaced-by: component:shipping-api').waitFor()
    await sheet.getByText('deprecated-reason: Two ledgers are one too many').waitFor()
    expect(await violationsOf(page)).toStrictEqual([])
    await button(sheet, 'Open the pull request').click()
    await page.getByText(/Merging deprecates it. What runs keeps running\./).waitFor()
    await expectClean(page)
  })
})
