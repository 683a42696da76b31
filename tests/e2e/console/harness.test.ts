import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { violationsOf } from '#tests/support/accessibility.ts'
import { hasBrowser, sharedBrowser } from '#tests/support/browser.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { complaintsAbout, expectClean, openWatched } from '#tests/support/page-watch.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
const frame = (main: string) =>
  `<!doctype html><html lang="en"><head><title>Planted</title><script src="/script.js"></script></head>
<body><main><h1>Planted</h1>${main}</main></body></html>`
/** Each page has one fault, or none. */
const PAGES: Readonly<Record<string, string>> = {
  '/clean': frame('<button>Say hello</button>'),
  '/nameless': frame('<button></button>'),
  '/inline': frame('<p style="color: red">Red</p>'),
  '/elsewhere': frame('<img alt="Pixel" src="http://elsewhere.invalid/pixel.png">'),
  '/throws': frame('<button id="throws">Throw</button>'),
  '/markup': frame('<button id="markup">Write markup</button>'),
}
const SCRIPT = `addEventListener('click', ({ target }) => {
  if (target.id === 'throws') throw new Error('planted error')
  if (target.id === 'markup') document.body.innerHTML = '<p>'
})`

/** Message with which `expectClean` fails. */
const refusalOf = (page: Page): Promise<string> =>
  expectClean(page).then(
    () => 'clean',
    (error: unknown) => String(error),
  )

describe.if(hasBrowser || mustHaveAll)('the harness of the console finds', () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const path = new URL(request.url).pathname
      if (path === '/script.js')
        return new Response(SCRIPT, { headers: { 'content-type': 'text/javascript' } })
      const page = PAGES[path]
      if (page === undefined) return new Response(null, { status: 404 })
      const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY }
      return new Response(page, { headers })
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(async () => {
    await server.stop(true)
  })

  async function opened(path: string): Promise<Page> {
    const page = await openWatched(await browser.newContext(), origin)
    await page.goto(`${origin}${path}`)
    return page
  }

  test('nothing on a clean page, under Trusted Types', async () => {
    const page = await opened('/clean')
    expect(await violationsOf(page)).toStrictEqual([])
    await expectClean(page)
  })

  test('a control without a name', async () => {
    const page = await opened('/nameless')
    const violations = await violationsOf(page)
    expect(violations).toHaveLength(1)
    expect(violations[0]).toStartWith('button-name: <button></button>')
  })

  test.each([
    ['/inline', 'policy: style-src-attr'],
    ['/elsewhere', 'elsewhere: http://elsewhere.invalid/pixel.png'],
  ])('on %s: %s', async (path, complaint) => {
    const page = await opened(path)
    expect(await complaintsAbout(page)).toContainEqual(expect.stringContaining(complaint))
    expect(await refusalOf(page)).toContain(complaint)
  })

  test.each([
    ['/throws', 'Throw', 'error: planted error'],
    ['/markup', 'Write markup', 'policy: require-trusted-types-for'],
  ])('on %s after "%s": %s', async (path, button, complaint) => {
    const page = await opened(path)
    await page.getByRole('button', { name: button }).click()
    expect(await complaintsAbout(page)).toContainEqual(expect.stringContaining(complaint))
  })

  test('that a page was never watched', async () => {
    const page = await (await browser.newContext()).newPage()
    expect(await refusalOf(page)).toContain('not watched')
  })
})
