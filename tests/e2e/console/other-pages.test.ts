import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { until } from '#tests/support/until.ts'
import { shared } from '#tests/support/shared.ts'

const EVENTS = '/api/v1/events'
const PROMOTION = '/api/v1/catalog/entities/component/payments-api/promotion'

describe.if(hasBrowser || mustHaveAll)('the other pages', () => {
  const portal = shared(startConsole)

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
  const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
  const announced = (page: Page, text: string | RegExp) =>
    page.getByRole('status').getByText(text).waitFor()
  const searchOf = (page: Page) => new URL(page.url()).search

  test('home asks for all that it shows in at most eleven requests', async () => {
    const profile = await portal().profile({ as: 'outsider' })
    // A slow machine asks again for what has grown old meanwhile.
    const asked = new Set<string>()
    profile.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === EVENTS) asked.add(pathname)
      else if (pathname.startsWith('/api/')) asked.add(pathname + search)
    })
    const page = await portal().open('/', profile)
    await page
      .getByText(/^last change/)
      .first()
      .waitFor()
    await page.getByRole('region', { name: 'What changed' }).waitFor()
    await page
      .getByRole('cell', { name: /Progressing|Degraded|Unstable|Healthy/ })
      .first()
      .waitFor()
    // The stream is opened a moment after the page.
    await until(() => asked.has(EVENTS))
    expect(asked.size).toBeLessThanOrEqual(11)
  })

  test('what waits comes by itself, is counted, and is confirmed by those who may', async () => {
    const [page, outsider, reviewer] = await Promise.all([
      portal().open('/', { as: 'manager' }),
      portal().open('/', { as: 'outsider' }),
      portal().open('/', { as: 'platform' }),
    ])
    const yours = (of: Page) => region(of, 'Waits for you')
    await outsider.getByText(/nothing waits for you/).waitFor()
    const promoted = await page.request.post(PROMOTION, { data: { targetLifecycle: 'staging' } })
    expect(promoted.status()).toBe(201)
    await region(page, 'Waits for others').getByText('Payments API: promote to staging').waitFor()
    await yours(reviewer).getByText('Payments API: promote to staging').waitFor()
    const home = reviewer.getByRole('link', { name: /^Home/ })
    expect(await home.textContent()).toMatch(/^Home\d+ for you$/)
    const url = promoted.headers()['location'] ?? ''
    const platform = await portal().profile({ as: 'platform' })
    const origin = { origin: portal().url }
    expect((await platform.request.post(`${url}/merge`, { headers: origin })).ok()).toBe(true)

    await outsider.getByRole('link', { name: 'Everybody' }).click()
    const refused = button(outsider, /^Confirm Payments API ?: Needs platform-team or payments/)
    await refused.waitFor()
    expect(await refused.getAttribute('aria-disabled')).toBe('true')

    const confirm = yours(page).getByRole('button', { name: 'Confirm staging of Payments API' })
    await confirm.click()
    const asked = dialog(page, 'Confirm Payments API in staging')
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await confirm.click()
    await asked.getByRole('button', { name: 'Confirm staging', exact: true }).click()
    await announced(page, 'Payments API is in staging')
    await confirm.waitFor({ state: 'detached' })
    await expectClean(reviewer)
    await Promise.all([expectClean(page), expectClean(outsider)])
  })

  test('problems are filtered in the address, and lead to their line', async () => {
    const page = await portal().open('/problems')
    const broken = region(page, 'catalog/shipping/resources/warehouse-feed.yaml')
    await broken.getByText('deficient indentation').waitFor()
    const severity = page.getByRole('combobox', { name: 'Severity' })
    await severity.selectOption('Warnings')
    await page.getByRole('status').getByText('1 problem').waitFor()
    expect(searchOf(page)).toBe('?severity=warning')
    await page.goBack()
    await broken.waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('yaml_syntax')
    await page.getByRole('status').getByText('1 problem').waitFor()
    const line = page.getByRole('link', { name: 'Open line 6, column 1' })
    expect(await line.getAttribute('href')).toMatch(
      /\/git\/acme\/gitops\/blob\/[0-9a-f]{40}\/catalog\/shipping\/resources\/warehouse-feed\.yaml#L6$/,
    )
    await page.getByRole('textbox', { name: 'Search' }).fill('nothing like this')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await expectClean(page)
  })

  test('the audit trail is that of one’s own team, and says who may see others', async () => {
    const page = await portal().open('/audit')
    const records = region(page, /^Records/)
    const confirmed = records.getByRole('listitem').filter({ hasText: 'Confirmed a promotion' })
    await confirmed.getByText('Marek Novak').waitFor()
    await confirmed.getByText('Done', { exact: true }).waitFor()
    await confirmed.getByRole('button', { name: 'Details' }).click()
    await confirmed.getByText('payments:Managers').waitFor()
    const story = await portal().open('/audit', { as: 'platform' })
    const one = region(story, /^Records/)
      .getByRole('listitem')
      .filter({ hasText: 'Confirmed' })
    await one.getByRole('button', { name: 'Details' }).click()
    await one.getByRole('link', { name: 'Why, step by step' }).click()
    await story.getByRole('heading', { name: 'Confirmed a promotion', level: 1 }).waitFor()
    await region(story, /^Its run/)
      .getByText('Complete')
      .last()
      .waitFor()
    await region(story, /^What belongs/)
      .getByText('Proposed a change')
      .waitFor()
    await expectClean(story)
    expect(await records.getByText('Signed in').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Action' }).selectOption('cluster.restart')
    await page.getByRole('heading', { name: 'No records' }).waitFor()
    expect(searchOf(page)).toBe('?action=cluster.restart')

    await page.goto('/audit?team=shipping')
    await page.getByRole('alert').getByText('platform-team').waitFor()
    const everything = await portal().open('/audit?action=session', { as: 'platform' })
    await everything.getByText('Dana Okafor · Signed in').first().waitFor()
    const person = everything.getByRole('textbox', { name: 'Person (subject)' })
    await person.fill('manager')
    await person.press('Enter')
    await everything.getByText('Marek Novak · Signed in').first().waitFor()
    await everything.getByText('Dana Okafor').waitFor({ state: 'detached' })
    expect(searchOf(everything)).toBe('?action=session&actor=manager')
    await Promise.all([expectClean(page), expectClean(everything)])
  })

  test('the client is downloaded, and its lines are copied', async () => {
    const profile = await portal().profile()
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await portal().open('/cli', profile)
    await page.getByRole('heading', { name: 'Install it on Linux, Intel or AMD' }).waitFor()
    await button(page, 'Copy the line that signs in').click()
    await announced(page, 'Copied the line that signs in')
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(line).toBe(`portico login ${portal().url}`)
    await page.getByText('install -m 755 ~/Downloads/portico-linux-amd64').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download 1.4.0 for Linux, Intel or AMD' }).click()
    expect((await download).suggestedFilename()).toBe('portico-linux-amd64')
    await expectClean(page)
  })

  test('sessions are listed by device, and ended', async () => {
    const [page, phone] = await Promise.all([
      portal().open('/sessions', { as: 'manager' }),
      portal().browser.newContext({ userAgent: 'curl/8.17.0' }),
    ])
    await region(page, 'Who you are').getByText('payments:Managers').waitFor()
    const own = region(page, 'Your sessions')
    await own.getByText('this browser').waitFor()
    const everywhere = button(page, /^Sign out everywhere else/)
    expect(await everywhere.getAttribute('aria-disabled')).toBe('true')
    await phone.request.post(`${portal().url}/dev/sign-in`, { form: { user: 'manager' } })
    await page.reload()
    await button(page, 'Sign out of curl').click()
    await announced(page, 'Signed out of curl')
    await phone.request.post(`${portal().url}/dev/sign-in`, { form: { user: 'manager' } })
    await page.reload()
    await own.getByText('curl', { exact: true }).waitFor()
    await everywhere.click()
    const question = dialog(page, 'Sign out everywhere else')
    await question.getByText('1 other session').waitFor()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await announced(page, 'Ended 1 session')
    await own.getByText('curl', { exact: true }).waitFor({ state: 'detached' })

    const platform = await portal().open('/sessions', { as: 'platform' })
    const somebody = region(platform, 'End the sessions of somebody')
    await somebody.getByRole('textbox').fill('manager')
    await somebody.getByRole('button', { name: 'End all sessions' }).click()
    await dialog(platform, 'End all sessions of manager')
      .getByRole('button', { name: 'End all' })
      .click()
    await announced(platform, 'Ended 1 session of manager')
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Portico' }).waitFor()
    await phone.close()
    await expectClean(platform)
  })
})
