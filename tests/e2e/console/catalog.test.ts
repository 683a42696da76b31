import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { overflowOf } from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { pushFiles } from '#tests/support/push-files.ts'
import { shared } from '#tests/support/shared.ts'

/** The scroll position, once the page has been drawn. */
const SCROLLED =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY))))'

const searchOf = (page: Page) => page.getByRole('searchbox', { name: 'Search the catalog' })
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const counted = (page: Page, words: string) =>
  page.getByRole('status').filter({ hasText: words }).waitFor()
const addressOf = (page: Page) => new URL(page.url()).search

describe.if(hasBrowser || mustHaveAll)('the catalog', () => {
  const portal = shared(startConsole)

  test('is searched while one types; Enter opens the first', async () => {
    const page = await portal().open('/catalog?kind=component')
    await counted(page, '12 of 27 entities')
    await page.keyboard.press('/')
    await page.keyboard.type('Ledger')
    await counted(page, '1 of 27 entities')
    await page.waitForURL((url) => url.search === '?kind=component&q=Ledger')
    await page.keyboard.press('Escape')
    await counted(page, '12 of 27 entities')
    expect(addressOf(page)).toBe('?kind=component')
    await page.keyboard.type('ledger')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor()
    await page.goBack()
    await counted(page, '1 of 27 entities')
    expect(await searchOf(page).inputValue()).toBe('ledger')
    await expectClean(page)
  })

  test('is filtered by facets with counts; Back takes back one choice', async () => {
    const page = await portal().open('/catalog?lifecycle=production')
    await counted(page, '12 of 27 entities')
    await page.getByRole('button', { name: 'Kind' }).click()
    const kinds = page.getByRole('group', { name: 'Kind' })
    await kinds.getByRole('checkbox', { name: /^Component/ }).check()
    await page.getByRole('button', { name: 'Kind: Component' }).waitFor()
    await counted(page, '4 of 27 entities')
    // Counts of a facet leave its own choices out.
    await kinds.getByRole('checkbox', { name: 'API 4' }).check()
    await page.getByRole('button', { name: 'Kind: 2 chosen' }).waitFor()
    await counted(page, '8 of 27 entities')
    expect(await violationsOf(page)).toStrictEqual([])
    await page.keyboard.press('Escape')
    await kinds.waitFor({ state: 'hidden' })
    await page.goBack()
    await counted(page, '4 of 27 entities')
    await page.getByRole('search').getByRole('button', { name: 'Owner' }).click()
    await page.getByRole('checkbox', { name: /^payments/ }).check()
    await page.getByRole('button', { name: 'Owner: payments' }).waitFor()
    expect(addressOf(page)).toBe('?lifecycle=production&kind=Component&owner=payments')
    await counted(page, '2 of 27 entities')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await counted(page, '27 entities')
    expect(addressOf(page)).toBe('')
  })

  test('has lifecycles, one’s own teams, an order, and words for an empty answer', async () => {
    const page = await portal().open('/catalog')
    const lifecycles = page.getByRole('navigation', { name: 'Lifecycle' })
    await lifecycles.getByRole('link', { name: 'Deprecated 2' }).click()
    await counted(page, '2 of 27 entities')
    await page.getByRole('button', { name: 'Your teams' }).click()
    await counted(page, '1 of 27 entities')
    await row(page, 'Billing (old)').waitFor()
    await lifecycles.getByRole('link', { name: /^All/ }).click()
    await counted(page, '12 of 27 entities')
    const owner = page.getByRole('columnheader', { name: 'Name' })
    await owner.getByRole('button').click()
    await owner.and(page.locator('[aria-sort=ascending]')).waitFor()
    await owner.getByRole('button').click()
    await owner.and(page.locator('[aria-sort=descending]')).waitFor()
    expect(addressOf(page)).toBe('?mine=true&sort=-name')
    await searchOf(page).fill('nothing is called that')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await counted(page, '0 of 27 entities')
    expect(await page.getByRole('link', { name: '3 problems' }).isVisible()).toBe(true)
    await expectClean(page)
  })

  test('says what is deployed where and how it fares, to people who may see it', async () => {
    const [dev, outsider] = await Promise.all([
      portal().open('/catalog?q=ledger'),
      portal().open('/catalog?q=ledger', { as: 'outsider' }),
    ])
    await row(dev, 'Ledger').filter({ hasText: '4.12.1Paused' }).waitFor()
    await row(dev, 'Ledger').filter({ hasText: 'Healthy4.12.0behind dev' }).waitFor()
    const refused = 'Unknown4.12.1No access'
    await row(outsider, 'Ledger').filter({ hasText: refused }).waitFor()
    expect(await row(outsider, 'Ledger').textContent()).not.toContain('Paused')
    await expectClean(outsider)
  })

  test('shows more rows when the end comes near, and moves by keys', async () => {
    const entity = (at: number) =>
      `apiVersion: portico/v1\nkind: Resource\nmetadata: { name: many-${String(at).padStart(3, '0')} }\nspec: { type: topic, owner: group:acme/payments }\n`
    const many = Array.from({ length: 130 }, (_, at) => entity(at)).join('---\n')
    const page = await portal().open('/catalog?q=many&sort=name', { width: 390 })
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await pushFiles(portal().url, { files: { 'catalog/many.yaml': many } })
    await counted(page, '130 of 157 entities')
    expect(await page.getByRole('row').count()).toBeLessThan(130)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await page.locator(':focus').textContent()).toBe('many-000')
    for (const name of ['many-039', 'many-079', 'many-119', 'many-129']) {
      await page.getByRole('link', { name }).scrollIntoViewIfNeeded()
    }
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('link', { name: 'many-129' }).click()
    await page.getByRole('heading', { level: 1, name: 'many-129' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'many-129' }).waitFor()
    expect(await page.evaluate<number>(SCROLLED)).toBeGreaterThan(0)
    await expectClean(page)
  })
})
