import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { type ConsoleUnderTest, startConsole } from '#tests/support/console.ts'
import { HOSTILE, hostileCatalog } from '#tests/support/hostile-catalog.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { overflowOf } from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { pushFiles } from '#tests/support/push-files.ts'

/** Protocols of all links: only these may be followed. */
const PROTOCOLS = `[...new Set([...document.links].map(({ protocol }) => protocol))]
  .filter((protocol) => !['http:', 'https:'].includes(protocol))`
/** Texts that turn the direction of what is around them. */
const TURNING = `(() => {
  const turning = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!/[\\u202A-\\u202E\\u2066-\\u2069]/.test(text.data)) continue
    const { unicodeBidi, display } = getComputedStyle(text.parentElement)
    const isIsolated = /isolate|plaintext/.test(unicodeBidi) || display === 'block'
    if (!isIsolated) turning.push(text.parentElement.outerHTML.slice(0, 120))
  }
  return turning
})()`

/** In one segment of a path. */
const inPath = encodeURIComponent(HOSTILE.markup)

describe.if(hasBrowser || mustHaveAll)('hostile texts are text', () => {
  let portal: ConsoleUnderTest
  let profile: BrowserContext
  beforeAll(async () => {
    portal = await startConsole()
    await pushFiles(portal.url, {
      files: hostileCatalog,
      message: `${HOSTILE.markup} ${HOSTILE.turned}`,
      author: HOSTILE.turned,
    })
    profile = await portal.profile({ as: 'dev', width: 390 })
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  async function expectHarmless(page: Page): Promise<void> {
    expect(await page.locator('[onerror], [src="x"], body script').count()).toBe(0)
    expect(await page.evaluate<readonly string[]>(PROTOCOLS)).toStrictEqual([])
    expect(await page.evaluate<readonly string[]>(TURNING)).toStrictEqual([])
    expect(await overflowOf(page)).toBe(0)
    await expectClean(page)
    await page.close()
  }

  test.each([
    ['the catalog', '/catalog?q=hostile', HOSTILE.markup],
    ['an entity', '/entities/component/hostile', HOSTILE.script],
    ['a history', '/entities/component/payments-api?history=dev', 'gpj.exe'],
    ['the name of an entity', `/entities/component/${inPath}`, HOSTILE.markup],
    ['the problems', '/problems', 'doubled.yaml'],
    [
      'a filter of the audit trail',
      `/audit?entity=${inPath}&actor=${inPath}`,
      'component/payments-api',
    ],
    ['the name of a namespace', `/clusters/dev-east/${inPath}`, HOSTILE.markup],
  ])('in %s', async (_, path, text) => {
    const page = await portal.open(path, profile)
    // What is far below is asked for once it is near.
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (path.includes('history=')) await page.getByText('Dependencies').scrollIntoViewIfNeeded()
    await page.getByText(text).first().waitFor()
    await expectHarmless(page)
  })
})
