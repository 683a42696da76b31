import type { Page } from 'playwright-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] as const
const source = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text()

/** Rules whose result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'] as const

/** Rules whose result depends on the width. */
const LAYOUT_RULES = ['target-size', 'scrollable-region-focusable', 'skip-link'] as const

const runOnly = {
  all: { type: 'tag', values: RULES },
  colours: { type: 'rule', values: COLOUR_RULES },
  layout: { type: 'rule', values: LAYOUT_RULES },
} as const

/** For each element with a fault: the rule, the element, and the reason. */
const findings = (rules: keyof typeof runOnly) => `axe.run(document, {
  runOnly: ${JSON.stringify(runOnly[rules])},
  resultTypes: ['violations'],
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, any, all, none }) =>
    id + ': ' + html.slice(0, 160) + ' — ' + ([...any, ...all, ...none][0]?.message ?? ''))))`

/**
 * Violations of WCAG 2.0 to 2.2, A and AA, and of best practice, on the page as it is now. Axe runs in an isolated world: there
 * neither `script-src` nor Trusted Types of the page stop it, and the page is not changed. `colours`, `layout`: a page
 * that has passed `all` is checked in another scheme, or at another width.
 */
export async function violationsOf(
  page: Page,
  rules: keyof typeof runOnly = 'all',
): Promise<readonly string[]> {
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
    const known = await evaluate('typeof axe')
    if (known.result.value === 'undefined') await evaluate(source)
    const { result, exceptionDetails } = await evaluate(findings(rules))
    if (exceptionDetails !== undefined) return [`axe: ${exceptionDetails.exception?.description}`]
    const found: readonly string[] = result.value
    return found
  } finally {
    await session.detach()
  }
}
