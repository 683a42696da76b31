import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser } from '#tests/support/browser.ts'
import { type PageState, pageStates, reach } from '#tests/support/console-states.ts'
import { type ConsoleUnderTest, startConsole, type View, visit } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import {
  crushedCells,
  movingParts,
  outlineOf,
  overflowOf,
  overlappingControls,
} from '#tests/support/page-measures.ts'
import { expectClean } from '#tests/support/page-watch.ts'

const WIDE = { width: 1440, height: 900 } as const
const NARROW = { width: 390, height: 844 } as const
/** Colours do not depend on the width. */
const VIEWS = [
  [WIDE, 'light', 'all'],
  [WIDE, 'dark', 'colours'],
  [NARROW, 'light', 'layout'],
] as const
/** Pages change their form between these. */
const WIDTHS = [390, 821, 960, 1152, 1280, 1440, 1920] as const
const NARROW_AND_WIDE = [390, 1152] as const
/** 1280 pixels at a zoom of 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 } as const

describe.if(hasBrowser || mustHaveAll)('each state of each page', () => {
  let portal: ConsoleUnderTest
  const pages = new Map<View['as'], Page>()
  beforeAll(async () => {
    portal = await startConsole()
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  /** One page a person: a new one is a new process of the browser, which knows nothing of the code. */
  async function opened(state: PageState): Promise<Page> {
    const as = state.as === undefined ? 'dev' : state.as
    const page = pages.get(as) ?? (await portal.open('/', { as }))
    pages.set(as, page)
    await page.setViewportSize(WIDE)
    await page.emulateMedia({ colorScheme: 'light' })
    await visit(page, state.path)
    await reach(page, state)
    return page
  }

  test.each(pageStates.map((state) => [state.name, state] as const))('%s', async (_, state) => {
    const page = await opened(state)
    const { h1, lang, title } = await outlineOf(page)
    expect({ lang, h1 }).toStrictEqual({ lang: 'en', h1: [expect.any(String)] })
    expect(h1[0]).toMatch(state.heading)
    expect(title).toStartWith(`${h1[0]} · `)

    // A state of a page that is seen in another one has no parts of its own.
    const violations: string[] = []
    for (const [window, colorScheme, rules] of state.of === undefined ? VIEWS : []) {
      await page.setViewportSize(window)
      await page.emulateMedia({ colorScheme })
      const found = await violationsOf(page, rules)
      violations.push(...found.map((line) => `${window.width} ${colorScheme}: ${line}`))
    }
    expect(violations).toStrictEqual([])
    const widths = state.of === undefined ? WIDTHS : NARROW_AND_WIDE
    for (const window of [...widths.map((width) => ({ ...WIDE, width })), ZOOMED]) {
      await page.setViewportSize(window)
      const found = {
        overflow: await overflowOf(page),
        // At a zoom of 400 % words wrap within their columns.
        crushed: window === ZOOMED ? [] : await crushedCells(page),
        overlapping: await overlappingControls(page),
      }
      const none = { overflow: 0, crushed: [], overlapping: [] }
      expect({ ...window, ...found }).toStrictEqual({ ...window, ...none })
    }
    expect(await movingParts(page)).toStrictEqual([])
    await expectClean(page)
  })
})
