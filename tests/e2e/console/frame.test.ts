import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { focusedOf } from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

describe.if(hasBrowser || mustHaveAll)('the frame', () => {
  const portal = shared(startConsole)

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('leads to each section: the heading takes the focus, and the title names it', async () => {
    const page = await portal().open('/catalog')
    const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    // Pages that the server renders.
    const rendered = ['API', 'Repositories']
    const names = (await sections.allTextContents()).filter((name) => !rendered.includes(name))
    expect(names).toContain('Catalog')
    for (const name of names.toReversed()) {
      await sections.filter({ hasText: name }).click()
      // The link has the focus until the page is there.
      await page.locator('h1:focus').waitFor()
      const { text } = await focusedOf(page)
      expect(await page.title()).toBe(`${text} · Portico`)
      expect(
        await sections.and(page.locator('[aria-current=page]')).allTextContents(),
      ).toStrictEqual([name])
    }
    await page.goBack()
    await page.locator('h1:focus').waitFor()
    await expectClean(page)
  })

  test('says that an address is none, and leads to the catalog', async () => {
    const page = await portal().open('/entities/component/%E0%A4%A')
    await heading(page, 'There is no such page').waitFor()
    await page.getByRole('link', { name: 'Look in the catalog' }).click()
    await heading(page, 'Catalog').waitFor()
    await expectClean(page)
  })

  test('stays when a page makes a mistake, and leads away from it', async () => {
    const page = await portal().open('/problems')
    await page.route('**/api/v1/clusters', (route) => route.fulfill({ json: [null] }))
    await page.getByRole('link', { name: 'Clusters' }).click()
    await page.getByText('This page failed.').waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await heading(page, 'Audit').waitFor()
  })

  test.each([
    [0, 'You are in no team yet'],
    [40, 'Your teams today'],
  ])('keeps the menu of the account in reach of a person with %p teams', async (count, words) => {
    const profile = await portal().profile()
    await profile.route('**/api/v1/auth/session', async (route) => {
      const response = await route.fetch()
      const session: object = await response.json()
      const teams = Array.from({ length: count }, (_, at) => `team-${at}`)
      await route.fulfill({ response, json: { ...session, groups: teams, teams } })
    })
    const page = await portal().open('/', profile)
    await page.getByRole('heading', { name: words }).waitFor()
    const account = page.getByRole('button', { name: /Dana Okafor/ })
    const { y = 0, height = 0 } = (await account.boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(900)
    await account.click()
    await page.getByRole('link', { name: 'Your account' }).first().waitFor()
  })

  test('can be skipped by keyboard', async () => {
    const page = await portal().open('/catalog')
    await page.keyboard.press('Tab')
    expect(await focusedOf(page)).toMatchObject({ text: 'Skip to the page' })
    await page.keyboard.press('Enter')
    expect(await focusedOf(page)).toMatchObject({ tag: 'H1', text: 'Catalog' })
  })

  test('is a menu in a narrow window: it closes by a choice and by Escape, which gives the focus back', async () => {
    const page = await portal().open('/catalog', { width: 390 })
    const menu = page.getByRole('button', { name: 'Menu' })
    const clusters = page.getByRole('link', { name: 'Clusters' })
    await menu.press('Enter')
    await clusters.waitFor()
    await page.keyboard.press('Escape')
    await clusters.waitFor({ state: 'hidden' })
    expect(await focusedOf(page)).toMatchObject({ name: 'Menu' })
    await menu.click()
    await clusters.click()
    await heading(page, 'Clusters').waitFor()
    await clusters.waitFor({ state: 'hidden' })
  })

  test('shows the focus in forced colours', async () => {
    const page = await portal().open('/catalog', { forcedColors: 'active' })
    await page.getByRole('searchbox').press('Shift+Tab')
    await page.getByRole('link', { name: 'Payments API' }).focus()
    expect(await focusedOf(page)).toMatchObject({ outline: 'solid' })
  })

  test('keeps the colours that a person has chosen, and says them', async () => {
    const page = await portal().open('/catalog')
    await page.getByRole('button', { name: /Dana Okafor/ }).click()
    const colours = page.getByRole('button', { name: /^Colours/ })
    await colours.click()
    await page.getByRole('status').filter({ hasText: /light/ }).waitFor()
    await colours.click()
    await page.getByRole('status').filter({ hasText: /dark/ }).waitFor()
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    expect(await background()).toBe('rgb(14, 15, 18)')
    await page.reload()
    await heading(page, 'Catalog').waitFor()
    expect(await background()).toBe('rgb(14, 15, 18)')
    await expectClean(page)
  })
})
