import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { focusedOf } from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const field = (page: Page) => page.getByRole('combobox', { name: /^Find a page/ })

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
}

describe.if(hasBrowser || mustHaveAll)('the palette', () => {
  const portal = shared(startConsole)

  test('finds entities, and offers those again that were chosen', async () => {
    const page = await portal().open('/clusters')
    await openPalette(page)
    await page.keyboard.type('ledger')
    await option(page, 'Ledger Component · payments').waitFor()
    const active = page.getByRole('option', { selected: true })
    expect(await active.getAttribute('id')).toBe(
      await field(page).getAttribute('aria-activedescendant'),
    )
    expect(await active.textContent()).toStartWith('Ledger')
    expect(await violationsOf(page)).toStrictEqual([])
    await page.keyboard.press('Enter')
    await heading(page, 'Ledger').waitFor()
    expect((await focusedOf(page)).tag).toBe('H1')
    await page.getByRole('button', { name: 'Jump to…' }).click()
    const offered = page.getByRole('dialog').getByRole('option')
    expect(await offered.first().textContent()).toStartWith('Ledger')
    await page.keyboard.type('nightly')
    await option(page, /^Billing \(old\)/).click()
    await heading(page, 'Billing (old)').waitFor()
    await expectClean(page)
  })

  test('leads to pages by arrow keys, and closes without a choice', async () => {
    const page = await portal().open('/catalog')
    await openPalette(page)
    await page.keyboard.type('pro')
    await option(page, /^New project Page/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await heading(page, 'Problems').waitFor()
    await openPalette(page)
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    expect((await focusedOf(page)).tag).toBe('H1')
    await openPalette(page)
    await page.keyboard.type('there is no such thing')
    await page.getByText('Nothing found.').waitFor()
    await page.keyboard.press('Control+k')
    await field(page).waitFor({ state: 'detached' })
  })

  test('offers what can be done with the entity of the page', async () => {
    const page = await portal().open('/entities/component/checkout-web', { as: 'manager' })
    await openPalette(page)
    await option(page, 'Release to production… checkout-web · production').waitFor()
    await page.keyboard.type('roll back staging')
    await option(page, 'Roll back… checkout-web · staging').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(new URL(page.url()).search).toBe('?do=rollback&environment=staging')
  })

  test('finds acts of any entity, and its pods by their state', async () => {
    const page = await portal().open('/cli', { as: 'manager' })
    await openPalette(page)
    await page.keyboard.type('oomk')
    await option(page, /^Pods of Payments API in dev OOMKilled/).waitFor()
    await field(page).fill('promote payments')
    await option(page, /^Promote Payments API…/).click()
    await page.getByRole('dialog', { name: 'Promote payments-api to staging' }).waitFor()
  })

  test('finds what the documentation of the entity of the page says', async () => {
    const page = await portal().open('/entities/component/ledger')
    await openPalette(page)
    await page.keyboard.type('clearing account')
    await option(page, /^How a payment is booked .*clearing account/).click()
    await page.getByRole('article', { name: 'docs/booking.md' }).waitFor()
  })

  test('keys lead anywhere, and can be switched off', async () => {
    const page = await portal().open('/catalog')
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await heading(page, 'Clusters').waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.waitFor()
    expect(await violationsOf(page)).toStrictEqual([])
    await keys.getByRole('switch').uncheck()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.reload()
    await heading(page, 'Clusters').waitFor()
    await page.keyboard.press('?')
    await openPalette(page)
    await option(page, /^Keys/).click()
    await keys.getByRole('switch').check()
    await keys.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await heading(page, 'Catalog').waitFor()
    await expectClean(page)
  })
})
