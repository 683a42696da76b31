import { describe, expect, test } from 'bun:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

const LEDGER = '/entities/component/ledger'
const SECRET = 'sk_live_of_the_manager'

describe.if(hasBrowser || mustHaveAll)('two people at one browser', () => {
  const portal = shared(startConsole)

  /** Another person signs in, as in another tab. */
  const signInAs = (profile: BrowserContext, user: string) =>
    profile.request.post('/dev/sign-in', { form: { user }, maxRedirects: 0 })
  /** With a session of its own, which the next sign-in ends. */
  const profileOf = async (user: string) => {
    const profile = await portal().profile({ as: null })
    await signInAs(profile, user)
    return profile
  }
  const name = (page: Page, of: RegExp) => page.getByRole('button', { name: of }).first()

  test('what one has typed is never sent as the other', async () => {
    const page = await portal().open(LEDGER, await profileOf('platform'))
    await page.getByRole('button', { name: 'Release to production…' }).click()
    const sheet = page.getByRole('dialog', { name: 'Release ledger to production' })
    await sheet.getByText('Settings and secrets').click()
    await sheet.getByRole('button', { name: 'Add a secret' }).click()
    await sheet.getByRole('textbox', { name: 'Name 1' }).fill('STRIPE_KEY')
    await sheet.getByLabel('Value 1').fill(SECRET)
    const sent: Request[] = []
    page.on('request', (request) => sent.push(request))
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await signInAs(page.context(), 'manager')
    await sheet.getByRole('button', { name: /^Write the secrets|^Open the pull request/ }).click()
    await page.getByRole('button', { name: /Marek Novak/ }).waitFor()
    expect(await page.getByLabel('Value 1').count()).toBe(0)
    expect(asked).toStrictEqual([])
    expect(sent.filter((request) => request.postData()?.includes(SECRET))).toStrictEqual([])
    await expectClean(page)
  })

  test('every tab follows the person who has signed in, and a sign-out', async () => {
    const profile = await profileOf('outsider')
    const first = await portal().open('/catalog', profile)
    const second = await portal().open('/problems', profile)
    await name(first, /Oskar/).waitFor()
    await signInAs(profile, 'dev')
    await second.reload()
    await name(second, /Dana Okafor/).waitFor()
    await name(first, /Dana Okafor/).waitFor()

    await second.route('**/auth/logout', (route) => route.fulfill({ status: 502, body: '<html>' }))
    // What others have kept goes with the person, the choices for the browser stay.
    await second.evaluate(
      `for (const key of ['portico-theme', 'canary']) localStorage[key] = 'dark'`,
    )
    const signOut = async () => {
      await name(second, /Dana Okafor/).click()
      await second.getByRole('button', { name: 'Sign out' }).click()
    }
    await signOut()
    await second.getByRole('status').filter({ hasText: 'You are still signed in.' }).waitFor()
    await second.unroute('**/auth/logout')
    await second.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [first, second]) {
      await tab.getByRole('heading', { name: 'Sign in to Portico' }).waitFor()
      expect(
        await tab.evaluate(
          `[localStorage.getItem('canary'), document.documentElement.dataset.theme]`,
        ),
      ).toStrictEqual([null, 'dark'])
    }
  })

  test('one sees what the other has proposed meanwhile, before it is changed', async () => {
    const sheets = []
    for (const as of ['platform', 'platform'] as const) {
      const page = await portal().open(`${LEDGER}?do=release&environment=production`, { as })
      const sheet = page.getByRole('dialog', { name: 'Release ledger to production' })
      await sheet.getByText('Settings and secrets').click()
      await sheet.getByLabel('Replicas').fill(String(sheets.length + 5))
      await sheet.getByText(`replicas: ${sheets.length + 5}`).waitFor()
      sheets.push(sheet)
    }
    const [first, second] = sheets
    await first?.getByRole('button', { name: 'Open the pull request' }).click()
    await first?.waitFor({ state: 'detached' })
    await second?.getByText(/^Pull request #\d+ to production was opened meanwhile/).waitFor()
    await second?.getByRole('button', { name: 'Update the pull request' }).waitFor()
  })
})
