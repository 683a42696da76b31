import type { Browser, Page } from 'playwright-core'

const DEADLINE_MS = 60_000
const WINDOW = { width: 1440, height: 900 }

/** An expression that is true when the main part of the page has the text. */
export const hasText = (text: string) =>
  `document.querySelector('main')?.textContent.includes(${JSON.stringify(text)})`

/** Tells the time of the first paint after an expression has become true, on the clock that this process reads too. */
const watchFor = (expression: string) => `(() => {
  const has = () => ${expression}
  const painted = () => requestAnimationFrame(() => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => appeared(performance.timeOrigin + performance.now())
    channel.port2.postMessage(0)
  })
  if (has()) return painted()
  const observer = new MutationObserver(() => {
    if (!has()) return
    observer.disconnect()
    painted()
  })
  observer.observe(document, { childList: true, subtree: true, characterData: true })
})()`

/** A page whose work is counted in processor time of its main thread: other load on the machine hardly changes it. */
export async function openMeasured(browser: Browser, url: string, cookie: string) {
  const context = await browser.newContext({ viewport: WINDOW, baseURL: url })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await session.send('Network.enable')
  const answers = new Set<string>()
  let received = 0
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/api/v1/')) answers.add(requestId)
  })
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (answers.has(requestId)) received += encodedDataLength
  })
  let told = Promise.withResolvers<number>()
  const watched = async (): Promise<number> => {
    const deadline = setTimeout(
      () => told.reject(new Error(`${page.url()} did not show what was waited for`)),
      DEADLINE_MS,
    )
    return told.promise.finally(() => clearTimeout(deadline))
  }
  await page.exposeFunction('appeared', (at: number) => told.resolve(at))
  return {
    page,
    /** Processor time of the main thread since the page was made, in milliseconds. */
    async cpuMs(): Promise<number> {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
    },
    /** Bytes of the API's answers since the page was made, as they came over the wire. */
    received: () => received,
    /** Goes to a page. Resolves when the paint after the expression has become true is done. */
    async visit(path: string, expression: string): Promise<void> {
      told = Promise.withResolvers()
      await page.addInitScript(
        `addEventListener('DOMContentLoaded', () => ${watchFor(expression)})`,
      )
      await page.goto(path)
      await watched()
    },
    /** Watches from now on. `painted`: milliseconds since the epoch. */
    async watch(expression: string): Promise<{ readonly painted: Promise<number> }> {
      told = Promise.withResolvers()
      await page.evaluate(watchFor(expression))
      return { painted: watched() }
    },
    /** Live JavaScript objects, in megabytes. */
    async heapMb(): Promise<number> {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      return usedSize / 1e6
    },
    close: () => context.close(),
  }
}

/** Types into the field that has the focus, as quickly as a good typist. */
export async function type(page: Page, keys: readonly string[], pauseMs: number): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.waitForTimeout(pauseMs)
  }
}
