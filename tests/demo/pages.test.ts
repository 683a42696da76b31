import { describe, expect, test } from 'bun:test'
import PEOPLE from '#src/demo/style/people.css' with { type: 'text' }
import { STYLE } from '#src/console/git/style/index.ts'
import { openDemo } from './open-demo.ts'
import { attributesOf, foreignMarkup, textsOf } from '#tests/support/page-markup.ts'
import { shared } from '#tests/support/shared.ts'

const demo = shared(openDemo)

describe('pages', () => {
  const gitops = '/git/acme/gitops'
  test.each([
    '/dev',
    '/dev/sign-in',
    '/git',
    gitops,
    `${gitops}/tree/main/catalog`,
    `${gitops}/blob/main/README.md`,
    `${gitops}/commits/main`,
    `${gitops}/branches`,
    `${gitops}/pulls`,
    `${gitops}/pulls/1`,
    `${gitops}/pulls/new?head=shipping/label-printer-queue`,
  ])(
    '%s allows nothing but its own style sheet, has one heading, and answers HEAD alike',
    async (path) => {
      const who = await demo().signIn('dev')
      const response = await who.get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      const page = await response.text()
      expect(await foreignMarkup(page)).toStrictEqual([])
      expect(await textsOf(page, 'h1')).toHaveLength(1)
      expect(await textsOf(page, 'main')).toHaveLength(1)
      // The rules are partly those of the console, whose style sheets may be divided in another way.
      const style = path.startsWith('/dev') ? `${STYLE}${PEOPLE}` : STYLE
      const classes = (await attributesOf(page, '[class]', 'class')).join(' ').split(' ')
      const unstyled = classes.filter((name) => !style.includes(`.${name}`))
      expect([...new Set(unstyled)]).toStrictEqual([])
      const head = await fetch(`${demo().url}${path}`, {
        method: 'HEAD',
        headers: { cookie: who.cookie },
      })
      expect([head.status, await head.text()]).toStrictEqual([200, ''])
    },
  )

  test('the start page says who is asking, also for a session that has ended', async () => {
    const who = await demo().signIn('outsider')
    expect(await (await who.get('/dev')).text()).toContain('Oskar Lindqvist')
    const stale = { cookie: `portal_session=${'x'.repeat(43)}` }
    const page = await demo().anonymous.get('/dev', stale)
    expect(await page.text()).toContain('You are not signed in')
  })

  test('what needs a session sends a browser to sign in, and a program away', async () => {
    const path = '/git/acme/gitops/pulls/1'
    const browser = await demo().anonymous.get(path, { accept: 'text/html,application/json;q=0.9' })
    expect(browser.status).toBe(303)
    expect(browser.headers.get('location')).toBe(
      '/api/v1/auth/login?return_to=%2Fgit%2Facme%2Fgitops%2Fpulls%2F1',
    )
    for (const accept of ['*/*', 'application/json']) {
      const program = await demo().anonymous.get(path, { accept })
      expect(program.status).toBe(401)
      expect(await program.json()).toMatchObject({ code: 'session_required' })
    }
  })

  test('the address that git clones from leads to the page of the repository', async () => {
    const response = await (await demo().signIn('dev')).get('/git/acme/gitops.git')
    expect(response.headers.get('location')).toBe('/git/acme/gitops')
  })

  test.each(['/git/acme/nothing', '/git/acme/nothing/pulls', '/git/acme/..%2f..%2fetc'])(
    '%s is not there',
    async (path) => {
      const response = await (await demo().signIn('dev')).get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'repository_not_found' })
    },
  )
})
