import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser, sharedBrowser } from '#tests/support/browser.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { document } from '#tests/support/openapi.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length

describe.if(hasBrowser || mustHaveAll)('the docs page in a real browser', () => {
  let portico: PorticoProcess
  beforeAll(async () => {
    portico = await startPortico(['demo'], { PORT: '0', DATA_DIR: folder })
  })
  afterAll(() => portico[Symbol.asyncDispose]())
  // Hooks run in the order of their registration: the folder goes last.
  const folder = folderOfTests()

  test('shows every operation, loads nothing from elsewhere, and tries one with the session; in our colours, on a phone too', async () => {
    const browser = await sharedBrowser()
    const context = await browser.newContext({ viewport: { width: 1200, height: 1400 } })
    const page = await context.newPage()
    const requested = new Set<string>()
    const complaints: string[] = []
    page.on('request', (request) => requested.add(new URL(request.url()).origin))
    page.on('console', (message) => {
      const isSignedOut = message.text().includes('status of 401')
      if (message.type() === 'error' && !isSignedOut) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))

    await page.goto(`${portico.url}/docs`)
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    // The link opens another tab, whose session is that of this one.
    const tab = context.waitForEvent('page')
    await page.getByRole('link', { name: 'signed in' }).click()
    const signIn = await tab
    await signIn.getByRole('button', { name: /dev/i }).first().click()
    await signIn.waitForURL(`${portico.url}/docs`)
    await signIn.close()
    await page.reload()
    await page.getByText('Signed in as Dana Okafor').waitFor()
    await page.locator('.opblock').first().waitFor()
    expect(await page.getByRole('button', { name: /^authorize/i }).count()).toBe(0)
    expect(await page.locator('.opblock').count()).toBe(operations)

    const session = page.locator('#operations-Session-getSession')
    await session.locator('.opblock-summary').click()
    await session.getByRole('button', { name: 'Try it out' }).click()
    await session.getByRole('button', { name: 'Execute' }).click()
    const answer = session.locator('.live-responses-table .response-col_description pre').first()
    await answer.waitFor()
    expect(await answer.textContent()).toContain('"subject": "dev"')

    const screenshot = process.env['SCREENSHOT']
    if (screenshot !== undefined) await page.screenshot({ path: screenshot })
    const ours = [...requested].filter((origin) => origin !== 'null')
    expect(ours).toStrictEqual([portico.url])
    expect(complaints).toStrictEqual([])

    // It has the colours of the console, and fits a phone.
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [colorScheme, ground, card] of [
      ['light', '#fbfbfc', '#ffffff'],
      ['dark', '#0e0f12', '#15161a'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      const seen = await page.evaluate(
        `['html', '.swagger-ui', '.opblock'].map((name) => getComputedStyle(document.querySelector(name)).backgroundColor)`,
      )
      const [expected, onCard] = [ground, card].map((token) => Bun.color(token, 'rgb'))
      expect(seen).toStrictEqual([expected, 'rgba(0, 0, 0, 0)', onCard])
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('link', { name: 'Portico' }).first().click()
    await page.waitForURL(`${portico.url}/`)
    await page.context().close()
  })
})
