import { describe, expect, test } from 'bun:test'
import { people } from '#src/demo/people.ts'
import { openDemo } from './open-demo.ts'
import { attributesOf, textsOf } from '#tests/support/page-markup.ts'
import { shared } from '#tests/support/shared.ts'

const demo = shared(openDemo)

const form = (fields: Record<string, string>): RequestInit => ({
  body: new URLSearchParams(fields),
})

describe('sign in', () => {
  test.each(Object.values(people))('as $id', async ({ id, name, email, groups }) => {
    const who = await demo().signIn(id)
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
    const response = await demo().anonymous.post('/dev/sign-in', form({ user: 'dev' }))
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/')
    expect(response.headers.get('set-cookie')).toMatch(
      /^portal_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=36000$/,
    )
  })

  test('and out are rows of the audit trail', async () => {
    const who = await demo().signIn('outsider')
    expect((await who.post('/api/v1/auth/logout', {})).status).toBe(200)
    const platform = await demo().signIn('platform')
    const listed = await platform.get('/api/v1/audit?actor=outsider&action=session&limit=2')
    expect(await listed.json()).toMatchObject([
      { action: 'session.sign_out', result: 'done', actor: { subject: 'outsider' } },
      {
        action: 'session.sign_in',
        result: 'done',
        actor: { subject: 'outsider' },
        address: '127.0.0.1',
      },
    ])
  })

  test('ends the session that the browser came with', async () => {
    const before = await demo().signIn('dev')
    const response = await before.post('/dev/sign-in', form({ user: 'manager' }))
    expect(response.headers.get('set-cookie')).not.toContain(before.cookie)
    expect((await before.get('/api/v1/auth/session')).status).toBe(401)
  })

  test.each([form({ user: 'root' }), form({}), form({ user: 'constructor' }), {}])(
    'nobody else can: %j',
    async (init) => {
      const response = await demo().anonymous.post('/dev/sign-in', init)
      expect(response.status).toBe(422)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(await response.json()).toMatchObject({
        code: 'validation_failed',
        errors: [
          {
            path: '/user',
            rule: 'one_of',
            message: 'must be one of dev, manager, platform, outsider',
          },
        ],
      })
    },
  )

  test.each([
    ['/?a=b#c', '/?a=b#c'],
    ['//evil.example', '/'],
  ])('return_to %j leads to %j', async (returnTo, location) => {
    const fields = { user: 'dev', return_to: returnTo }
    const response = await demo().anonymous.post('/dev/sign-in', form(fields))
    expect(response.headers.get('location')).toBe(location)
  })

  test('the page keeps a local return_to, and has every person', async () => {
    const ask = async (returnTo: string) =>
      (
        await demo().anonymous.get(
          `/dev/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`,
        )
      ).text()
    const page = await ask(`/x"><script>alert(1)</script>`)
    expect(page).toContain('value="/x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    expect(await textsOf(page, 'main button')).toStrictEqual(
      Object.values(people).map(({ id, name }) => `${name} (${id})`),
    )
    expect(await ask('//evil.example')).not.toContain('return_to')
    expect(await attributesOf(page, '.who a', 'href')).toStrictEqual([])
  })

  test('through /api/v1/auth/login, as at a real provider', async () => {
    const begun = await demo().anonymous.get('/api/v1/auth/login?return_to=/docs')
    expect(begun.status).toBe(302)
    const location = begun.headers.get('location') ?? ''
    expect(location).toStartWith('/dev/sign-in?state=')
    const state = new URLSearchParams(location.split('?')[1]).get('state') ?? ''
    expect(await (await demo().anonymous.get(location)).text()).toContain(
      `<input type="hidden" name="state" value="${state}" />`,
    )

    const signedIn = await demo().anonymous.post('/dev/sign-in', form({ user: 'manager', state }))
    const callback = signedIn.headers.get('location') ?? ''
    expect([signedIn.status, signedIn.headers.get('set-cookie')]).toStrictEqual([303, null])
    expect(callback).toStartWith('/api/v1/auth/callback?')
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const done = await demo().anonymous.get(callback, { cookie })
    expect([done.status, done.headers.get('location')]).toStrictEqual([303, '/docs'])
    expect(done.headers.getSetCookie()[0]).toMatch(/^portal_session=[\w-]{43};/)
    const stolen = await demo().anonymous.get(callback)
    expect(stolen.status).toBe(400)
  })
})
