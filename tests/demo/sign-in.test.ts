import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { people } from '#src/lib/demo/people.ts'
import { urlOf } from '#scripts/routes.ts'
import { catalogOf, type Demo, openDemo } from './open-demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo[Symbol.asyncDispose]())

const form = (fields: Record<string, string>): RequestInit => ({
  body: new URLSearchParams(fields),
})

describe('sign in', () => {
  test.each(Object.values(people))('as $id', async ({ id, name, email, groups }) => {
    const who = await demo.signIn(id)
    const session = (await (await who.get('/api/v1/auth/session')).json()) as object
    expect(session).toMatchObject({
      subject: id,
      name,
      email,
      groups: [...groups],
      groupsKnown: true,
      platform: id === 'platform',
    })
  })

  test('answers 303 with a cookie that plain http on the loopback can carry', async () => {
    const response = await demo.anonymous.post('/dev/sign-in', form({ user: 'dev' }))
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/')
    expect(response.headers.get('set-cookie')).toMatch(
      /^portal_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=36000$/,
    )
  })

  test('ends the session that the browser came with', async () => {
    const before = await demo.signIn('dev')
    const response = await before.post('/dev/sign-in', form({ user: 'manager' }))
    expect(response.headers.get('set-cookie')).not.toContain(before.cookie)
    expect((await before.get('/api/v1/auth/session')).status).toBe(401)
  })

  test.each([form({ user: 'root' }), form({}), form({ user: 'constructor' }), {}])(
    'nobody else can: %j',
    async (init) => {
      const response = await demo.anonymous.post('/dev/sign-in', init)
      expect(response.status).toBe(422)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(await response.json()).toMatchObject({
        code: 'validation_failed',
        errors: [{ path: '/user', message: 'must be one of dev, manager, platform, outsider' }],
      })
    },
  )

  test.each([
    ['/git/acme/gitops/pulls', '/git/acme/gitops/pulls'],
    ['/?a=b#c', '/?a=b#c'],
    ['//evil.example', '/'],
    ['https://evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
  ])('return_to %j leads to %j', async (returnTo, location) => {
    const fields = { user: 'dev', return_to: returnTo }
    const response = await demo.anonymous.post('/dev/sign-in', form(fields))
    expect(response.headers.get('location')).toBe(location)
  })

  test('the page keeps a local return_to, and has every person', async () => {
    const ask = async (returnTo: string) =>
      (
        await demo.anonymous.get(
          `/dev/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`,
        )
      ).text()
    const page = await ask(`/x"><script>alert(1)</script>`)
    expect(page).toContain('value="/x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    for (const { id, name } of Object.values(people)) expect(page).toContain(`${name} (${id})`)
    expect(await ask('//evil.example')).not.toContain('return_to')
  })

  test('another site cannot sign a browser in', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const response = await demo.anonymous.post('/dev/sign-in', {
      ...form({ user: 'dev' }),
      headers,
    })
    expect(response.status).toBe(403)
  })
})

describe('the catalog', () => {
  test('has 27 entities, and for both teams a component in every lifecycle', async () => {
    const who = await demo.signIn('dev')
    expect(await catalogOf(who)).toBeArrayOfSize(27)
    for (const owner of ['payments', 'shipping']) {
      const components = await catalogOf(who, `?kind=Component&owner=${owner}`)
      const lifecycles = new Set(components.map(({ spec }) => String(spec.lifecycle)))
      expect([...lifecycles].toSorted()).toStrictEqual([
        'deprecated',
        'development',
        'experimental',
        'production',
        'staging',
      ])
    }
  })

  test('has exactly one broken file and one duplicate, told from both sides', async () => {
    const who = await demo.signIn('dev')
    const response = await who.get('/api/v1/catalog/problems')
    const problems = (await response.json()) as { code: string; severity: string; path: string }[]
    expect(problems.map(({ code, severity, path }) => ({ code, severity, path }))).toStrictEqual([
      {
        code: 'entity_duplicate',
        severity: 'warning',
        path: 'catalog/shipping/components/tracking-web.yaml',
      },
      {
        code: 'entity_duplicate',
        severity: 'error',
        path: 'catalog/shipping/components/web-tracking.yaml',
      },
      {
        code: 'yaml_syntax',
        severity: 'error',
        path: 'catalog/shipping/resources/warehouse-feed.yaml',
      },
    ])
  })
})

describe('pages', () => {
  test.each(['/', '/dev/sign-in', '/git/acme/gitops', '/git/acme/gitops/pulls'])(
    '%s allows nothing but its own style sheet',
    async (path) => {
      const response = await (await demo.signIn('dev')).get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.text()).not.toMatch(/<script|style="|\son\w+=/)
    },
  )

  test('the start page says who is asking, also for a session that has ended', async () => {
    const who = await demo.signIn('outsider')
    expect(await (await who.get('/')).text()).toContain('Oskar Lindqvist')
    const stale = { cookie: `portal_session=${'x'.repeat(43)}` }
    const page = await demo.anonymous.get('/', stale)
    expect(await page.text()).toContain('You are not signed in')
  })

  test('what needs a session sends a browser to sign in, and a program away', async () => {
    const path = '/git/acme/gitops/pulls/1'
    const browser = await demo.anonymous.get(path, { accept: 'text/html,application/json;q=0.9' })
    expect(browser.status).toBe(303)
    expect(browser.headers.get('location')).toBe(
      '/dev/sign-in?return_to=%2Fgit%2Facme%2Fgitops%2Fpulls%2F1',
    )
    for (const accept of ['*/*', 'application/json']) {
      const program = await demo.anonymous.get(path, { accept })
      expect(program.status).toBe(401)
      expect(await program.json()).toMatchObject({ code: 'session_required' })
    }
  })

  test('the address that git clones from leads to the page of the repository', async () => {
    const response = await (await demo.signIn('dev')).get('/git/acme/gitops.git')
    expect(response.headers.get('location')).toBe('/git/acme/gitops')
  })

  test.each(['/git/acme/nothing', '/git/acme/nothing/pulls', '/git/acme/..%2f..%2fetc'])(
    '%s is not there',
    async (path) => {
      const response = await (await demo.signIn('dev')).get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'repository_not_found' })
    },
  )
})

describe('without a session', () => {
  const open = new Set(['/', '/dev/sign-in', '/dev/style.css'])
  const files = [...new Bun.Glob('**/*.ts').scanSync('src/lib/demo/routes')]
  test.each(files.map((routeFile) => urlOf(routeFile)).filter((url) => !open.has(url)))(
    '%s answers 401, whatever the method',
    async (url) => {
      const path = url
        .replace(':owner', 'acme')
        .replace(':repository', 'gitops')
        .replace(':number', '1')
      const [read, write] = [await demo.anonymous.get(path), await demo.anonymous.post(path)]
      const statuses = [read.status, write.status].toSorted((one, other) => one - other)
      expect(statuses).toStrictEqual([401, 405])
    },
  )
})
