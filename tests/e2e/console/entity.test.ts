import { describe, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

const API = '/api/v1/catalog/entities/component/invoice-service/promotion'

describe.if(hasBrowser || mustHaveAll)('the page of an entity', () => {
  const portal = shared(startConsole)

  test('asks for what it shows in at most twelve requests, with its files', async () => {
    // A person has so many watches of workloads; those of the other tests are the manager's.
    const profile = await portal().profile({ as: 'platform' })
    // A slow machine opens the stream again for what it learns late.
    const asked = new Set<string>()
    profile.on('request', (request) => asked.add(new URL(request.url()).pathname))
    const page = await portal().open('/entities/component/ledger', profile)
    await page
      .getByText(/^Healthy · /)
      .first()
      .waitFor()
    await page.getByText('production would get 3 commits').waitFor()
    await page.getByRole('list', { name: 'Needs' }).getByRole('link').first().waitFor()
    await page.getByRole('button', { name: 'Restart ledger' }).first().waitFor()
    await profile.close()
    // What waits for the person is counted after that.
    const own = [...asked].filter((path) => !/\/(?:promotions|scaffold\/runs)$/.test(path))
    expect(own.length).toBeLessThanOrEqual(12)
    expect(own.filter((path) => path.startsWith('/console/'))).toHaveLength(3)
  })

  test('says why there are no workloads', async () => {
    const profile = await portal().profile({ as: 'manager' })
    await profile.route('**/api/v1/events?**', (route) => route.abort())
    await profile.route(/\/workloads(\?|$)/, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        json: { type: 'about:blank', code: 'planted', title: 'No workloads', status: 503 },
      }),
    )
    const page = await portal().open('/entities/component/payments-api', profile)
    const pods = page.getByRole('region', { name: 'Pods' })
    await pods.getByText('No workloads').first().waitFor()
    await pods
      .getByRole('link', { name: /^payments-api-/ })
      .first()
      .waitFor()
  })

  test('says what it is, what runs, and what changes', async () => {
    const page = await portal().open('/entities/component/payments-api', { as: 'manager' })
    await page.getByRole('heading', { level: 1, name: 'Payments API' }).waitFor()
    const about = page.getByRole('region', { name: 'About', exact: true })
    await about.getByRole('link', { name: 'Payments', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toBe(
      'https://wiki.acme.example/runbooks/payments-api',
    )
    const versions = page.getByRole('region', { name: 'Versions by environment' })
    const row = versions.getByRole('row', { name: /^1\.5\.0-rc\.3/ })
    await row.getByText(/^(?!In git).+ · 10d$/).waitFor()
    const pods = page.getByRole('region', { name: 'Pods' })
    await pods.getByText('Live').first().waitFor()
    await pods
      .getByRole('link', { name: /^payments-api-/ })
      .first()
      .waitFor()
    const relations = page.getByRole('list', { name: 'Needs' })
    expect(await relations.getByRole('link').count()).toBe(2)
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('in git now').waitFor()

    // The menu gives the focus back.
    const more = page.getByRole('button', { name: 'More actions' })
    await more.press('Enter')
    await page.getByRole('button', { name: 'Deprecate…' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe(
      'More actions',
    )

    // The act has an address, and a restart in the cluster is on the page at once.
    await page.getByRole('button', { name: 'Promote to staging…' }).click()
    expect(new URL(page.url()).search).toBe('?do=promote&environment=staging')
    await page.goto('/entities/component/payments-api')
    await page.request.post(
      '/api/v1/clusters/dev-east/namespaces/payments-dev/deployments/payments-api/restart',
      { headers: { origin: portal().url } },
    )
    await pods.getByText('Progressing').first().waitFor()
    await expectClean(page)
  })

  test('shows a release beside what runs, and its end by itself', async () => {
    const page = await portal().open('/entities/component/invoice-service', { as: 'manager' })
    const versions = page.getByRole('region', { name: 'Versions', exact: true })
    await versions.getByText('2.3.0', { exact: true }).first().waitFor()
    const asked = await page.request.post(API, {
      headers: { origin: portal().url },
      data: { targetLifecycle: 'development', overlayConfig: { image: { tag: '2.4.0' } } },
    })
    const { pullRequest }: { pullRequest: { number: number; url: string } } = await asked.json()
    await versions.getByRole('link', { name: `Pull request #${pullRequest.number}` }).waitFor()
    await versions
      .getByRole('row', { name: /^2\.4\.0/ })
      .getByText('in review')
      .waitFor()

    const platform = await portal().profile({ as: 'platform' })
    await platform.request.post(`${pullRequest.url}/merge`, {
      headers: { accept: 'application/json' },
    })
    // What is far below is asked for when somebody comes near it.
    await page.setViewportSize({ width: 1440, height: 4_000 })
    const history = page.getByRole('region', { name: 'History' })
    await history.getByRole('button', { name: 'Dev' }).click()
    await history.getByText('2.3.0 → 2.4.0').waitFor()
    await page.getByRole('button', { name: 'Copy the image 2.4.0' }).waitFor()
    await history.getByRole('button', { name: 'Roll back to this 2.3.0' }).click()
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^[0-9a-f]{40}$/)
    await page.goto('/entities/component/invoice-service')
    const activity = page.getByRole('region', { name: 'Activity' })
    await activity.getByText('proposed a release in development').waitFor()
    await expectClean(page)
  })

  test('leads to the history when its address names an environment of it', async () => {
    const profile = await portal().profile()
    // What is above the card grows when the lists of pods come.
    const late = async (route: Route) => {
      await Bun.sleep(3_000)
      await route.continue()
    }
    await profile.route(/\/events\?|\/promotion\/compare\?/, late)
    const page = await portal().open('/entities/component/ledger?history=staging', profile)
    const history = page.getByRole('region', { name: 'History' })
    await history.getByRole('button', { name: 'Staging', pressed: true }).waitFor()
    await history.getByText('in git now').waitFor()
    await page.getByRole('region', { name: 'Pods' }).getByText('Running').last().waitFor()
    const { y = -1, height = 0 } = (await history.boundingBox()) ?? {}
    expect(y).toBeGreaterThan(0)
    expect(y + height).toBeLessThan(900)
    await expectClean(page)
  })

  test('releases a version by the cell of its environment, in three clicks', async () => {
    const page = await portal().open('/entities/component/ledger', { as: 'manager' })
    const versions = page.getByRole('region', { name: 'Versions by environment' })
    const newest = versions.getByRole('row', { name: /^4\.13\.0 new/ })
    await newest.getByRole('link', { name: 'Name the account in the error' }).waitFor()
    await page.keyboard.press('r')
    await page.getByRole('dialog', { name: 'Release ledger to dev' }).waitFor()
    await page.keyboard.press('Escape')
    const compare = page.getByRole('region', { name: 'Compare' })
    await compare.getByText('production would get 3 commits').waitFor()
    await compare.getByRole('combobox', { name: 'From' }).selectOption('dev')
    await compare.getByText('production would get 4 commits').waitFor()

    await versions.getByRole('button', { name: 'Bring 4.12.0 to production' }).click()
    const sheet = page.getByRole('dialog', { name: 'Release ledger to production' })
    await sheet.getByText('staging: healthy').waitFor()
    await sheet.getByText('newTag: 4.12.0').waitFor()
    await sheet.getByRole('combobox', { name: 'Version' }).selectOption(':tag/4.13.0')
    await sheet.getByText('4.13.0: runs nowhere yet').waitFor()
    await sheet.getByText('newTag: 4.13.0').waitFor()
    await sheet.getByRole('combobox', { name: 'Version' }).selectOption('staging')
    await sheet.getByText('newTag: 4.12.0').waitFor()
    await sheet.getByRole('button', { name: 'Open the pull request' }).click()
    await sheet.waitFor({ state: 'detached' })
    await versions.getByText(/#\d+ in review/).waitFor()
    await expectClean(page)
  })

  test('has the documentation of its repository, with links and pictures', async () => {
    const page = await portal().open('/entities/component/ledger')
    await page.getByRole('link', { name: 'Repository', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Documentation' }).click()
    const readme = page.getByRole('article', { name: 'README.md' })
    await readme.getByRole('link', { name: 'How a payment is booked' }).click()
    const booking = page.getByRole('article', { name: 'docs/booking.md' })
    await booking.getByRole('img', { name: /^A payment moves/ }).waitFor()
    await page.waitForFunction("document.querySelector('article img').naturalWidth === 520")
    expect(await page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('restore the')
    await page.getByRole('option', { name: 'Restore the ledger Documentation · ledger' }).click()
    await page.getByRole('article').getByText('tried in staging in May').waitFor()
    await page.goBack()
    await booking.getByText('A posting is never changed').waitFor()
    await expectClean(page)
  })

  test('draws two hops of dependencies, and asks for their health once they are seen', async () => {
    const profile = await portal().profile({ as: 'manager' })
    const hub = Array.from({ length: 200 }, (_, at) => ({
      type: 'dependencyOf',
      ref: `component:c${at}`,
      target: { kind: 'Component', name: `c${at}`, title: null },
    }))
    await profile.route(/invoice-service\/relations/, (route) => route.fulfill({ json: hub }))
    const asked: string[] = []
    profile.on('request', (request) => asked.push(new URL(request.url()).search))
    const page = await portal().open('/sessions', profile)
    await page.setViewportSize({ width: 390, height: 300 })
    await page.goto('/entities/component/checkout-web')
    const graph = page.getByRole('region', { name: 'Dependencies' })
    const first = graph.getByRole('link', { name: /^Checkout.* depends on Payments over HTTP/ })
    await first.waitFor({ state: 'attached' })
    const isHealth = (query: string) =>
      query.startsWith('?entity=') && query.includes('payments-api')
    expect(asked.some(isHealth)).toBe(false)
    await first.scrollIntoViewIfNeeded()
    const second = graph.getByRole('link', {
      name: /^Payments over HTTP depends on Payments API Degraded in dev/,
    })
    await second.waitFor()
    expect(new Set(asked.filter(isHealth)).size).toBe(1)
    await second.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payments API' }).waitFor()
    // Nothing lies over the links above the title.
    const above = page.getByRole('navigation', { name: 'Above this page' })
    await above.getByRole('link', { name: 'Component' }).click({ trial: true, timeout: 20_000 })
    await page.goto('/entities/component/invoice-service')
    await graph.getByRole('button', { name: 'All 200' }).press('Enter')
    await graph.getByRole('link', { name: /^c199 depends on / }).waitFor()
    await expectClean(page)
  })

  test('keeps what a person may not do, with the reason and whom to ask', async () => {
    const page = await portal().open('/entities/component/checkout-web', { as: 'outsider' })
    const release = page.getByRole('button', {
      name: /^Release to production….*Needs platform-team/,
    })
    await release.waitFor()
    expect(await release.getAttribute('aria-disabled')).toBe('true')
    await page.getByText('Members of payments and the platform team see').waitFor()
    await expectClean(page)
  })

  test('is found again by a near name, and says why something is deprecated', async () => {
    const page = await portal().open('/entities/component/legacy-biling')
    await page.getByRole('link', { name: 'legacy-billing' }).click()
    await page.getByRole('heading', { level: 1, name: 'Billing (old)' }).waitFor()
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('H1')
    await page.goto('/entities/component/tracking-web')
    await page.getByText('The repository has this entity more than once').waitFor()
    await page.goBack()
    const deprecation = page.getByRole('region', { name: 'Deprecation' })
    await deprecation.getByRole('link', { name: 'invoice-service' }).click()
    await page.getByRole('heading', { level: 1, name: 'Invoice service' }).waitFor()
    await expectClean(page)
  })

  test('has what belongs to a system, and the definition of an API', async () => {
    const page = await portal().open('/entities/system/checkout')
    await page
      .getByRole('region', { name: 'Parts' })
      .getByRole('link', { name: 'Payments over HTTP' })
      .click()
    await page.getByRole('list', { name: 'Provided by' }).getByRole('link').waitFor()
    await page.getByRole('link', { name: 'Definition' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByText('Refund a payment').click()
    await frame.getByText('The refund is booked').waitFor()
    // Whoever writes a definition has no session, and sends nothing.
    expect(await frame.locator('body').evaluate('origin')).toBe('null')
    expect(await frame.getByRole('button', { name: 'Try it out' }).count()).toBe(0)
    await page.goto('/entities/api/fraud-signals/definition')
    await page.getByText('address: fraud/signals').waitFor()
    await page.getByText('channels:').click()
    await page.getByText('address: fraud/signals').waitFor({ state: 'detached' })
    await expectClean(page)
  })

  test('shows the rest when a part cannot be read', async () => {
    const profile = await portal().profile({ as: 'dev' })
    // The first event of the stream would read the state again too.
    await profile.route('**/api/v1/events?*', (route) => route.abort())
    await profile.route('**/promotion', (route) =>
      route.fulfill({
        status: 504,
        // The page tries by itself too, and not before that.
        headers: { 'content-type': 'application/problem+json', 'retry-after': '60' },
        body: JSON.stringify({
          status: 504,
          code: 'git_host_timeout',
          title: 'The git host did not answer in time',
        }),
      }),
    )
    const page = await portal().open('/entities/component/ledger', profile)
    const environments = page.getByRole('region', { name: 'Versions', exact: true })
    await environments.getByText('The git host did not answer in time').waitFor()
    await page.getByRole('list', { name: 'Needs' }).getByRole('link').first().waitFor()
    await profile.unroute('**/promotion')
    await environments.getByRole('button', { name: 'Try again' }).click()
    await environments.getByRole('columnheader', { name: 'production' }).waitFor()
    await expectClean(page, /504|ERR_FAILED/)
  })
})
