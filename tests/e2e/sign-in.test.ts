import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { startTlsFront, type TlsFront } from '#tests/peers/tls-front.ts'
import { hasBrowser, openBrowser } from '#tests/support/browser.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { makeGitHost, settingsAt } from '#tests/support/installation.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const bob = { sub: 'bob', name: 'Bob', email: 'bob@example.org' }

/** The only certificates that the browser takes although nobody it knows has issued them. */
const pinOf = (certificate: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')

describe.if(hasBrowser || mustHaveAll)(
  'sign-in in a real browser, over https with private CAs',
  () => {
    let front: TlsFront
    let peer: OidcPeer
    let portico: PorticoProcess
    let browser: Browser
    let portal: string

    beforeAll(async () => {
      // One authority for the portal and another for the provider: the portal trusts the second for the provider alone.
      const [ours, theirs] = await Promise.all([makeAuthority(), makeAuthority()])
      const [portalTls, providerTls] = await Promise.all([ours.issue(), theirs.issue()])
      front = await startTlsFront(portalTls)
      // Another site than that of the provider: 127.0.0.1.
      portal = `https://localhost:${front.port}`
      peer = await startOidcPeer({
        people: [ada, bob],
        publicUrl: portal,
        tls: providerTls,
        ca: theirs.pem,
        portalCa: ours.pem,
        backchannelLogout: `${portal}/api/v1/auth/backchannel-logout`,
      })
      await Bun.write(join(folder, 'provider-ca.pem'), theirs.pem)
      await makeGitHost(join(folder, 'git'))
      portico = await startPortico(['serve'], {
        ...settingsAt(folder),
        ...peer.settings,
        OIDC_CA_FILE: join(folder, 'provider-ca.pem'),
        PUBLIC_URL: portal,
      })
      front.leadTo(Number(new URL(portico.url).port))
      const pins = [portalTls, providerTls].map(({ cert }) => pinOf(cert)).join(',')
      browser = await openBrowser(`--ignore-certificate-errors-spki-list=${pins}`)
    })

    afterAll(async () => {
      await browser.close()
      await portico[Symbol.asyncDispose]()
      await peer[Symbol.asyncDispose]()
      front[Symbol.dispose]()
    })
    // Hooks run in the order of their registration: the folder goes last.
    const folder = folderOfTests()

    /** A person with a browser of their own, whose pages break no policy and throw no error. */
    async function withPages(work: (context: BrowserContext) => Promise<void>): Promise<void> {
      const context = await browser.newContext()
      const complaints: string[] = []
      context.on('page', (page) => {
        page.on('pageerror', (error) => complaints.push(error.message))
        page.on('console', (message) => {
          if (/Content Security Policy|violates/i.test(message.text()))
            complaints.push(message.text())
        })
      })
      await work(context)
      expect(complaints).toStrictEqual([])
      await context.close()
    }

    const login = (page: Page, returnTo = '/cli') =>
      page.goto(`${portal}/api/v1/auth/login?return_to=${encodeURIComponent(returnTo)}`)
    const choose = (page: Page, name: string) => page.getByRole('button', { name }).click()
    async function signIn(page: Page, name = 'Ada'): Promise<void> {
      await login(page)
      await choose(page, name)
      await page.waitForURL(`${portal}/cli`)
    }
    const who = (page: Page): Promise<{ status: number; subject: string | null }> =>
      page.evaluate(async () => {
        const response = await fetch('/api/v1/auth/session')
        const { subject = null } = (await response.json()) as { subject?: string }
        return { status: response.status, subject }
      })
    const cookieNames = async (context: BrowserContext) =>
      (await context.cookies(`${portal}/api/v1/auth/callback`)).map(({ name }) => name)

    test('a person signs in, sees who they are, and signs out at both', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        await signIn(page)
        expect(await who(page)).toStrictEqual({ status: 200, subject: 'ada' })
        const [cookie] = await context.cookies(portal)
        expect(cookie).toMatchObject({
          name: 'portal_session',
          secure: true,
          httpOnly: true,
          sameSite: 'Lax',
        })
        expect(await cookieNames(context)).toStrictEqual(['portal_session'])

        const { logoutUrl } = await page.evaluate(async () => {
          const response = await fetch('/api/v1/auth/logout', { method: 'POST' })
          return (await response.json()) as { logoutUrl: string }
        })
        expect(await who(page)).toStrictEqual({ status: 401, subject: null })
        await page.goto(logoutUrl)
        await page.getByRole('button', { name: /yes/i }).click()
        await page.getByRole('heading', { name: 'Sign in to Portico' }).waitFor()
        // The provider asks again: it has forgotten the person too.
        await login(page)
        await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
      })
    })

    test('an address of the console leads to the provider and back to itself', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        const address = `${portal}/entities/component/payments-api?history=dev`
        await page.goto(address)
        await page.getByRole('heading', { name: 'Sign in to Portico' }).waitFor()
        await page.getByRole('link', { name: 'Sign in' }).click()
        await choose(page, 'Ada')
        await page.waitForURL(address)
        await page.getByRole('heading', { level: 1, name: 'payments-api' }).waitFor()

        await page.getByRole('button', { name: 'Ada' }).click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('button', { name: /yes/i }).click()
        await page.getByRole('heading', { name: 'Sign in to Portico' }).waitFor()
        expect(await who(page)).toStrictEqual({ status: 401, subject: null })
      })
    })

    test('two tabs at once end in two working tabs', async () => {
      await withPages(async (context) => {
        const one = await context.newPage()
        const two = await context.newPage()
        await login(one, '/cli?tab=one')
        await login(two, '/cli?tab=two')
        expect(await cookieNames(context)).toHaveLength(2)
        await choose(two, 'Ada')
        await two.waitForURL(`${portal}/cli?tab=two`)
        await choose(one, 'Ada')
        await one.waitForURL(`${portal}/cli?tab=one`)
        for (const page of [one, two]) {
          await page.reload()
          expect(await who(page)).toStrictEqual({ status: 200, subject: 'ada' })
        }
        expect(await cookieNames(context)).toStrictEqual(['portal_session'])
      })
    })

    test('who refuses at the provider gets our page, and can try again', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        await login(page, '/cli?wanted')
        await choose(page, 'Cancel')
        await page.getByRole('heading', { name: 'You were not signed in' }).waitFor()
        expect(new URL(page.url()).origin).toBe(portal)
        expect(await page.title()).toBe('You were not signed in · Portico')
        expect(await page.locator('html').getAttribute('lang')).toBe('en')
        expect(await page.getByText('Request id').count()).toBe(1)

        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await choose(page, 'Ada')
        await page.waitForURL(`${portal}/cli?wanted`)
        expect(await who(page)).toStrictEqual({ status: 200, subject: 'ada' })
      })
    })

    test('a sign-in that has expired, and the Back button after one, lead to our page', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        await login(page)
        await context.clearCookies({ name: /^portal_login_/ })
        await choose(page, 'Ada')
        await page.getByRole('heading', { name: 'This sign-in has expired' }).waitFor()
        const expired = page.url()
        await page.getByRole('link', { name: 'Try again' }).click()
        await page.getByRole('heading', { name: /today/i }).waitFor()

        await page.goto(expired)
        await page.getByText('You are still signed in as Ada.').waitFor()
        await page.getByRole('link', { name: 'Go on without signing in again' }).click()
        await page.getByRole('heading', { name: /today/i }).waitFor()
        expect(await who(page)).toStrictEqual({ status: 200, subject: 'ada' })
      })
    })

    test('the page fits a phone, in light and dark', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          colorScheme,
          viewport: { width: 320, height: 640 },
        })
        const page = await context.newPage()
        await page.goto(`${portal}/api/v1/auth/callback`)
        await page.getByRole('link', { name: 'Try again' }).waitFor()
        const seen = await page.evaluate(
          '({ width: document.documentElement.scrollWidth, ground: getComputedStyle(document.body).backgroundColor })',
        )
        expect(seen).toStrictEqual({
          width: 320,
          ground: colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 29)',
        })
        await context.close()
      }
    })

    test('a person without groups is told so, and goes on', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        await login(page, '/cli?wanted')
        await choose(page, 'Bob')
        await page.getByRole('heading', { name: 'without your groups' }).waitFor()
        await page.getByRole('link', { name: 'Go on' }).click()
        await page.waitForURL(`${portal}/cli?wanted`)
        expect(await who(page)).toStrictEqual({ status: 200, subject: 'bob' })
      })
    })

    test('the provider ends the session of a person who signed out there', async () => {
      await withPages(async (context) => {
        const page = await context.newPage()
        await signIn(page)
        const told = await peer.logout('ada')
        expect(told.every(Boolean)).toBe(true)
        expect(await who(page)).toStrictEqual({ status: 401, subject: null })
      })
    })

    test('afterwards the log has every request, and no code, token or cookie', async () => {
      const { stdout, stderr } = await portico.end('SIGTERM')
      expect(stdout).toContain('"path":"/api/v1/auth/callback"')
      expect(`${stdout}${stderr}`).not.toMatch(/code=|state=|eyJ|portal_login|portal_session/)
    })
  },
)
