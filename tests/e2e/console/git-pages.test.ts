import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { type ConsoleUnderTest, startConsole, visit } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { overflowOf } from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'

const GITOPS = '/git/acme/gitops'
const FILE = `${GITOPS}/blob/main/catalog/payments/components/payments-api.yaml`

const PAGES = [
  '/dev/sign-in?return_to=/git',
  '/dev',
  '/git',
  '/git/new',
  GITOPS,
  `${GITOPS}/tree/main/catalog/payments`,
  `${FILE}#L12`,
  `${GITOPS}/commits/main`,
  `${GITOPS}/branches`,
  `${GITOPS}/pulls`,
  `${GITOPS}/pulls/2`,
  `${GITOPS}/pulls/new?head=payments/ledger-contact`,
  `${GITOPS}/tree/nothing`,
  `${GITOPS}/tokens`,
]

describe.if(hasBrowser || mustHaveAll)('the pages of the git host', () => {
  let portal: ConsoleUnderTest
  /** One for all: a new one is a new process of the browser. */
  let page: Page | undefined
  beforeAll(async () => {
    portal = await startConsole()
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  test.each(PAGES)('%s is accessible, fits, and loads nothing from elsewhere', async (path) => {
    page ??= await portal.open(path, { as: 'platform' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await visit(page, path)
    expect(await violationsOf(page)).toStrictEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violationsOf(page, 'colours')).toStrictEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await violationsOf(page, 'layout')).toStrictEqual([])
    await page.setViewportSize({ width: 320, height: 256 })
    expect(await overflowOf(page)).toBe(0)
    await expectClean(page)
  })

  const press = async (page: Page, keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }

  test('a proposal is read, and merged by somebody who may, with the keyboard alone', async () => {
    const page = await portal.open(`${GITOPS}/pulls/2`, await portal.profile({ as: 'outsider' }))
    const merge = page.getByRole('button', { name: 'Merge' })
    expect(await merge.getAttribute('aria-disabled')).toBe('true')
    await merge.focus()
    await press(page, ['Enter'])
    await page.getByRole('link', { name: 'Switch person' }).focus()
    await press(page, ['Enter'])

    await page.getByRole('heading', { level: 1, name: 'Who do you want to be?' }).waitFor()
    await page.getByRole('button', { name: /Marek Novak/ }).focus()
    await press(page, ['Tab', 'Enter'])

    await page.getByRole('heading', { level: 1, name: /label-printer/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${GITOPS}/pulls/2`)
    await page.getByRole('button', { name: 'Merge' }).focus()
    await press(page, ['Enter'])
    await page.getByText(/merged by Priya Raman/).waitFor()
    expect(await page.getByRole('button', { name: 'Merge' }).count()).toBe(0)
    await expectClean(page)
  })
})
