import { describe, expect, test } from 'bun:test'
import { openPortal } from '#tests/support/portal.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const SESSION = '/api/v1/auth/session'
const LOGOUT = '/api/v1/auth/logout'

describe('who am I', () => {
  test('names the person, their groups and what follows', async () => {
    await using portal = await openPortal()
    const response = await portal.request(SESSION, { as: 'manager' })
    expect(await response.json()).toStrictEqual({
      subject: 'manager',
      name: 'manager',
      email: 'manager@acme.example',
      groups: ['payments', 'payments:Managers'],
      groupsKnown: true,
      groupsAdvice: null,
      teams: ['payments'],
      platform: false,
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      repositories: '/git',
    })
    const platform = await portal.request(SESSION, { as: 'platform' })
    expect(await platform.json()).toMatchObject({ teams: [], platform: true })
  })
})

describe('a session', () => {
  test('is refused when its cookie is no session, and the cookie is cleared', async () => {
    await using portal = await openPortal()
    const token = await portal.signIn('dev')
    const cookies = [
      `portal_session=${'A'.repeat(43)}`,
      'portal_session=short',
      'portal_session={"a":1}',
      'portal_session=%E0%A4%A',
      `portal_session=${token}; portal_session=${'B'.repeat(43)}`,
    ]
    for (const cookie of cookies) {
      const response = await portal.request(SESSION, { headers: { cookie } })
      expect([cookie, response.status]).toStrictEqual([cookie, 401])
      expect(await response.json()).toMatchObject({ code: 'session_invalid' })
      expect(response.headers.get('set-cookie')).toBe(
        'portal_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
      )
    }
    // A page's request that is answered late must not end a sign-in of another tab.
    const late = await portal.request(SESSION, {
      headers: { cookie: 'portal_session=short', 'sec-fetch-mode': 'cors' },
    })
    expect([late.status, late.headers.get('set-cookie')]).toStrictEqual([401, null])
    const twice = await portal.request(SESSION, {
      headers: { cookie: `a=b; portal_session=${token}; portal_session=${token}` },
    })
    expect(twice.status).toBe(200)
  })

  test('ends after an idle hour, and after ten hours in any case', async () => {
    await using portal = await openPortal()
    await portal.request(SESSION, { as: 'dev' })
    portal.clock.advance(59 * 60_000)
    expect((await portal.request(SESSION, { as: 'dev' })).status).toBe(200)
    portal.clock.advance(61 * 60_000)
    expect((await portal.request(SESSION, { as: 'dev' })).status).toBe(401)

    for (let hour = 0; hour < 10; hour++) {
      expect((await portal.request(SESSION, { as: 'manager' })).status).toBe(200)
      portal.clock.advance(59 * 60_000)
    }
    portal.clock.advance(11 * 60_000)
    expect((await portal.request(SESSION, { as: 'manager' })).status).toBe(401)
  })

  test('ends with logout, at once', async () => {
    await using portal = await openPortal()
    const token = await portal.signIn('dev')
    const response = await portal.request(LOGOUT, { method: 'POST', as: 'dev' })
    expect([response.status, await response.json()]).toStrictEqual([200, { logoutUrl: null }])
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(response.headers.get('clear-site-data')).toBe('"cache", "storage"')
    const after = await portal.request(SESSION, { headers: { cookie: `portal_session=${token}` } })
    expect(after.status).toBe(401)
  })

  test('that was confirmed before the database went away reads for a while, and decides nothing', async () => {
    await using portal = await openPortal()
    const entities = '/api/v1/catalog/entities'
    const environments = '/api/v1/environments'
    for (const path of [entities, environments]) await portal.request(path, { as: 'dev' })
    await portal.portal.close()
    portal.clock.advance(2_000)
    for (const path of [SESSION, entities, environments]) {
      const { status, headers } = await portal.request(path, { as: 'dev' })
      expect([path, status, headers.get('x-portico-read-only')]).toStrictEqual([
        path,
        200,
        'database',
      ])
    }
    const promotion = `${entities}/component/payments-api/promotion`
    for (const path of ['/api/v1/scaffold', promotion, LOGOUT]) {
      const { status } = await portal.request(path, { method: 'POST', as: 'dev' })
      expect([path, status]).toStrictEqual([path, 503])
    }
    portal.clock.advance(30_000)
    const later = await portal.request(SESSION, { as: 'dev' })
    expect(await outcomeOf(later)).toBe('503 database_unavailable')
  })
})
