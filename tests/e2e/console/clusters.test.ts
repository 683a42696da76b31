import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

const NAMESPACE = '/clusters/dev-east/payments-dev'

describe.if(hasBrowser || mustHaveAll)('clusters', () => {
  const portal = shared(startConsole)

  const log = (page: Page) => page.getByRole('log')
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const firstPod = (page: Page, name: RegExp) =>
    page.getByRole('region', { name: 'Pods' }).getByRole('link', { name }).first()

  const scrollTop = (page: Page) =>
    page.evaluate<number>('document.querySelector("[role=log]").scrollTop')

  test('lead to the pods of a namespace, problems first, and a search finds statuses', async () => {
    const page = await portal().open('/clusters', { as: 'platform' })
    await page.getByText(/refuses connections/).waitFor()
    const east = page.getByRole('region', { name: 'Development East' })
    await east.getByRole('row', { name: 'payments-dev dev payments look and restart' }).waitFor()
    await east.getByRole('link', { name: 'payments-dev' }).click()
    await page.getByRole('heading', { level: 1, name: 'payments-dev' }).waitFor()

    const pods = page.getByRole('region', { name: 'Pods' })
    const first = pods.getByRole('row').nth(1)
    await first.getByText('ImagePullBackOff').waitFor()
    const search = page.getByRole('searchbox', { name: 'Search deployments and pods' })
    await search.fill('LEDGER completed')
    await pods.getByText('1 of').waitFor()
    await page.waitForURL((url) => url.search === '?q=LEDGER+completed')
    await first.getByText(/^ledger-nightly-close-/).waitFor()
    await search.fill('no such pod')
    await button(page, 'Show all pods').click()
    await first.getByText('ImagePullBackOff').waitFor()
    expect(await search.inputValue()).toBe('')
    await expectClean(page)
  })

  test('let restart a deployment after a question, say why not, and what goes wrong', async () => {
    const page = await portal().open('/clusters/dev-east/payments-staging')
    const restart = button(page, 'Restart legacy-billing')
    await restart.click()
    const question = page.getByRole('dialog', { name: 'Restart legacy-billing?' })
    await question.getByText('payments-staging').waitFor()
    await question.getByText('dev-east').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain(
      'legacy-billing',
    )
    await restart.click()
    await question.getByRole('button', { name: 'Restart', exact: true }).click()
    await page.getByRole('status').getByText('accepted the restart of legacy-billing').waitFor()
    await page.getByRole('status').getByText('legacy-billing: Restarted').waitFor()
    await restart.waitFor()

    await page.goto(NAMESPACE)
    const deployments = page.getByRole('region', { name: 'Deployments' })
    await deployments.getByRole('link', { name: 'invoice-service' }).click()
    const events = page.getByRole('region', { name: 'Events' })
    await events
      .getByText(/Failed to pull image/)
      .first()
      .waitFor()
    await page.getByRole('region', { name: 'Revisions' }).getByText('current').waitFor()
    const resources = page.getByRole('region', { name: 'Resources' })
    await resources.getByText('The cluster does not let you read this.').first().waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'exchange-rates', exact: true }).click()
    await page
      .getByRole('region', { name: 'Runs' })
      .getByText(/backoff limit/i)
      .first()
      .waitFor()
    await page
      .getByRole('link', { name: /^exchange-rates-/ })
      .first()
      .click()
    await page.getByText('Job', { exact: true }).waitFor()
    await page.goto(`${NAMESPACE}/workloads/statefulset/ledger-queue`)
    await button(page, 'Restart ledger-queue').waitFor()
    await page.goto(`${NAMESPACE}/workloads/deployment/ledger`)
    await page.getByRole('region', { name: 'In git' }).getByText('in dev').waitFor()
    await resources
      .getByText(/^uses cpu \d+m, memory \d+Mi$/)
      .first()
      .waitFor()
    await resources.getByText('readiness: HTTP GET :http/readyz every 10 s').waitFor()
    await resources.getByText('Burstable').waitFor()
    await page.getByRole('region', { name: 'Conditions of the newest pod' }).waitFor()
    await button(page, 'Show the log of all pods').click()
    await log(page)
      .getByText(/^ledger-\w+-\w+\/postgres-proxy/)
      .first()
      .waitFor()
    await page.goto(NAMESPACE)
    const paused = button(page, /^Restart ledger.*kubectl rollout resume/)
    await paused.waitFor()
    expect(await paused.getAttribute('aria-disabled')).toBe('true')
    await page.goto('/clusters/dev-east/shipping-dev')
    await page.getByRole('heading', { name: 'You may not look into shipping-dev' }).waitFor()
    await page.getByText(/cannot list resource "pods"/).waitFor()
    await page.getByRole('link', { name: 'Namespaces that you may read' }).click()
    await page.getByRole('link', { name: 'payments-staging' }).waitFor()
    await expectClean(page)
  })

  test('show the log of a container, which can be searched and followed', async () => {
    const page = await portal().open(NAMESPACE)
    await firstPod(page, /^ledger-\w+-\w+$/).click()
    await log(page).getByText('level=INFO').first().waitFor()
    const card = page.getByRole('region', { name: 'Log' })
    const search = card.getByRole('searchbox')
    await search.fill('LEVEL=info')
    await button(page, 'Next match').click()
    const first = (await card.getByText(/^1 of \d+$/).textContent()) ?? ''
    await search.press('Shift+Enter')
    const other = (await card.getByText(/^(?!1 of )\d+ of \d+$/).textContent()) ?? ''
    // The log grows meanwhile.
    const [last = 0, matches = Infinity] = [other, first.replace('1 of ', '')].map((text) =>
      Number.parseInt(text, 10),
    )
    expect(last).toBeGreaterThanOrEqual(matches)
    do await search.press('Enter')
    while ((await card.getByText(/^1 of \d+$/).count()) === 0)

    await button(page, 'Copy the link to this line').click()
    await page.locator('.log-chosen').getByText('level=INFO').waitFor()
    expect(new URL(page.url()).searchParams.get('line')).toMatch(/^[0-9a-f]{8}$/)

    const lines = card.getByText(/^\d+ lines$/)
    const before = (await lines.textContent()) ?? ''
    const place = await scrollTop(page)
    await lines.filter({ hasNotText: before }).waitFor()
    expect(await scrollTop(page)).toBe(place)
    await button(page, 'To the last line').click()
    await button(page, 'To the last line').waitFor({ state: 'detached' })

    await card.getByRole('combobox', { name: 'Container' }).selectOption('postgres-proxy')
    await log(page).getByText('closed after').first().waitFor()
    expect(await log(page).getAttribute('aria-label')).toBe('Log of postgres-proxy')
    expect(new URL(page.url()).searchParams.get('container')).toBe('postgres-proxy')
    await button(page, 'Follow').click()
    await card.getByText('End of the log so far.').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the whole log' }).click()
    expect((await download).suggestedFilename()).toMatch(/^ledger-.*-postgres-proxy\.log$/)
    await expectClean(page)
  })

  test('say why a log cannot be read, and lead from a pod that is gone to another', async () => {
    const page = await portal().open(NAMESPACE)
    const alone = page.waitForRequest((request) =>
      /[=,]pods:dev-east\/payments-dev\/invoice-service-/.test(decodeURIComponent(request.url())),
    )
    await firstPod(page, /^invoice-service-/).click()
    expect(decodeURIComponent((await alone).url())).not.toMatch(/payments-dev(?:,|&|$)/)
    await page
      .getByRole('alert')
      .getByText(/waiting to start/)
      .waitFor()
    await page.goto(`${NAMESPACE}/pods/payments-api-of-yesterday`)
    await page.getByRole('heading', { name: 'This pod is gone' }).waitFor()
    const others = page.getByRole('region', { name: 'In its place' })
    await others
      .getByRole('link', { name: /^payments-api-/ })
      .first()
      .click()
    await page.getByText(/ended with OOMKilled \(exit code 137\)/).waitFor()
    await page.getByRole('combobox', { name: 'Run' }).selectOption('the run before')
    await log(page).getByText('allocation failed').waitFor()
    await expectClean(page)
  })

  test('show what a hostile program writes as text', async () => {
    const page = await portal().open(NAMESPACE)
    const lines = [
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b[2J<img src=x onerror=alert(1)>',
      'user\u202etxt.exe',
      'x'.repeat(10_000),
    ]
    await page.route(/\/log\?/, (route) =>
      route.fulfill({ contentType: 'text/plain', body: lines.join('\r\n') }),
    )
    await firstPod(page, /^ledger-/).click()
    await log(page).getByText('red ␛]0;title␇ <img src=x onerror=alert(1)>').waitFor()
    await log(page).getByText('user<U+202E>txt.exe').waitFor()
    await log(page).getByText('cut after 8,192 characters').waitFor()
    await button(page, 'Follow again').waitFor()
    expect(await page.title()).toMatch(/^ledger-\S+ · Portico$/)
    await expectClean(page)
  })

  test('follow a log again when Portico is back', async () => {
    const page = await portal().open(NAMESPACE)
    await firstPod(page, /^ledger-/).click()
    await log(page).getByText('level=INFO').first().waitFor()
    await portal().stop()
    await page.getByText('The connection broke; later lines are missing.').waitFor()
    await log(page).getByText('level=INFO').first().waitFor()
    await portal().start()
    await page.getByText('New lines appear as they are written.').waitFor()
    await expectClean(page, /ERR_|status of 503/)
  })
})
