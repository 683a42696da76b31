import type { Page } from 'playwright-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] as const
const source = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text()

/** Shortest sentences that lead to the fault: the rule, the first element, and why. */
const FINDINGS = `axe.run(document, {
  runOnly: ${JSON.stringify(RULES)},
  resultTypes: ['violations'],
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, any, all, none }) =>
    id + ': ' + html.slice(0, 160) + ' — ' + ([...any, ...all, ...none][0]?.message ?? ''))))`

/**
 * Violations of WCAG 2.0 to 2.2, A and AA, and of best practice, on the page as it is now. Axe runs in an isolated world: there
 * neither `script-src` nor Trusted Types of the page stop it, and the page is not changed.
 */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { frameTree } = await session.send('Page.getFrameTree')
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    })
    const evaluate = (expression: string) =>
      session.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      })
    await evaluate(source)
    const { result, exceptionDetails } = await evaluate(FINDINGS)
    if (exceptionDetails !== undefined) return [`axe: ${exceptionDetails.exception?.description}`]
    const found: readonly string[] = result.value
    return found
  } finally {
    await session.detach()
  }
}
