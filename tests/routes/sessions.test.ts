import { describe, expect, test } from 'bun:test'
import { openPortal, type Person, sharedPortal, type TestPortal } from '#tests/support/portal.ts'
import { recordsOf } from '#tests/support/audit-rows.ts'

const SESSIONS = '/api/v1/auth/sessions'
const ME = '/api/v1/auth/session'
const CLEARED = 'portal_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'

interface Listed {
  readonly id: string
  readonly current: boolean
}

/** One more session of a person; later requests of the person use it. */
async function signInAgain(portal: TestPortal, person: Person): Promise<string> {
  portal.forget(person)
  portal.clock.advance(1_000)
  return `portal_session=${await portal.signIn(person)}`
}

const listed = async (portal: TestPortal, as: Person) =>
  (await (await portal.request(SESSIONS, { as })).json()) as readonly Listed[]

const statusOf = async (portal: TestPortal, cookie: string) =>
  (await portal.request(ME, { headers: { cookie } })).status

const revoke = (portal: TestPortal, as: Person, body: unknown) =>
  portal.request(`${SESSIONS}/revoke`, { as, json: body })

async function trail(portal: TestPortal) {
  const records = await recordsOf(portal)
  return records
    .filter(({ action }) => action.startsWith('session.'))
    .map(({ action, target, result, code, actor, details }) => [
      action,
      target,
      result,
      code,
      actor?.subject,
      details,
    ])
    .toReversed()
}

/** For requests that change nothing. */
const unchanged = sharedPortal()

describe('my sessions', () => {
  test('are listed newest first; one of them is this one', async () => {
    await using portal = await openPortal()
    const first = await signInAgain(portal, 'dev')
    const at = portal.clock.now()
    await signInAgain(portal, 'dev')
    await portal.signIn('manager')
    const response = await portal.request(SESSIONS, { as: 'dev' })
    expect([response.status, response.headers.get('cache-control')]).toStrictEqual([
      200,
      'no-store',
    ])
    const sessions = (await response.json()) as readonly Record<string, unknown>[]
    expect(sessions).toHaveLength(2)
    expect(sessions.map(({ current }) => current)).toStrictEqual([true, false])
    expect(sessions[1]).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastSeenAt: sessions[1]?.['createdAt'],
      address: null,
      userAgent: null,
      current: false,
    })
    expect(Math.abs(Date.parse(String(sessions[1]?.['createdAt'])) - at)).toBeLessThan(60_000)
    expect(first).not.toContain(String(sessions[1]?.['id']))
  })

  test('end one by one; the end of this one clears its cookie', async () => {
    await using portal = await openPortal()
    const old = await signInAgain(portal, 'dev')
    const present = await signInAgain(portal, 'dev')
    const [current, other] = await listed(portal, 'dev')
    const end = (id = '') =>
      portal.request(`${SESSIONS}/${id}`, { method: 'DELETE', headers: { cookie: present } })
    const ended = await end(other?.id)
    expect([ended.status, await ended.text(), ended.headers.get('set-cookie')]).toStrictEqual([
      204,
      '',
      null,
    ])
    expect([await statusOf(portal, old), await statusOf(portal, present)]).toStrictEqual([401, 200])
    const last = await end(current?.id)
    expect([last.status, last.headers.get('set-cookie')]).toStrictEqual([204, CLEARED])
    expect(await statusOf(portal, present)).toBe(401)
    expect(await trail(portal)).toStrictEqual([
      ['session.sign_out', `session/${other?.id}`, 'done', null, 'dev', {}],
      ['session.sign_out', `session/${current?.id}`, 'done', null, 'dev', {}],
    ])
  })

  test('somebody else’s is the same 404 as none, and goes on', async () => {
    await using portal = await openPortal()
    const manager = await signInAgain(portal, 'manager')
    const [theirs] = await listed(portal, 'manager')
    const bodies = await Promise.all(
      [theirs?.id ?? '', 'f'.repeat(64)].map(async (id) => {
        const response = await portal.request(`${SESSIONS}/${id}`, {
          method: 'DELETE',
          as: 'platform',
          headers: { 'x-request-id': 'same' },
        })
        return [response.status, (await response.text()).replaceAll(id, 'ID')]
      }),
    )
    expect(bodies[0]).toStrictEqual(bodies[1])
    expect(bodies[0]?.[0]).toBe(404)
    expect(bodies[0]?.[1]).toContain('"code":"session_not_found"')
    expect(await statusOf(portal, manager)).toBe(200)
    expect(await trail(portal)).toStrictEqual([])
  })

  test.each(['x', 'F'.repeat(64), `${'f'.repeat(63)}%00`, '..%2fx'])(
    'an id that is none is 422: %s',
    async (id) => {
      const path = `${SESSIONS}/${id}`
      const response = await unchanged().request(path, { method: 'DELETE', as: 'dev' })
      expect([id, response.status]).toStrictEqual([id, 422])
    },
  )

  test('all others end together', async () => {
    await using portal = await openPortal()
    const others = [await signInAgain(portal, 'dev'), await signInAgain(portal, 'dev')]
    const present = await signInAgain(portal, 'dev')
    const manager = await signInAgain(portal, 'manager')
    const response = await portal.request(SESSIONS, { method: 'DELETE', as: 'dev' })
    expect([response.status, await response.json()]).toStrictEqual([200, { ended: 2 }])
    for (const cookie of others) expect(await statusOf(portal, cookie)).toBe(401)
    for (const cookie of [present, manager]) expect(await statusOf(portal, cookie)).toBe(200)
    expect(await trail(portal)).toStrictEqual([
      ['session.sign_out', 'person/dev', 'done', null, 'dev', { ended: 2 }],
    ])
  })

  test('are ended by no page of another site, and by a configured UI', async () => {
    await using portal = await openPortal({ environment: { UI_ORIGINS: 'https://ui.test' } })
    await signInAgain(portal, 'dev')
    const present = await signInAgain(portal, 'dev')
    const [, other] = await listed(portal, 'dev')
    for (const path of [SESSIONS, `${SESSIONS}/${other?.id}`]) {
      const response = await portal.request(path, {
        method: 'DELETE',
        headers: { cookie: present, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      })
      expect([path, response.status]).toStrictEqual([path, 403])
    }
    expect(await listed(portal, 'dev')).toHaveLength(2)
    const preflight = await portal.request(SESSIONS, {
      method: 'OPTIONS',
      headers: { origin: 'https://ui.test', 'access-control-request-method': 'DELETE' },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE')
    const ended = await portal.request(SESSIONS, {
      method: 'DELETE',
      headers: { cookie: present, origin: 'https://ui.test' },
    })
    expect(await ended.json()).toStrictEqual({ ended: 1 })
  })
})

describe('the platform team', () => {
  test('ends all sessions of a person of its own issuer', async () => {
    await using portal = await openPortal()
    const theirs = [await signInAgain(portal, 'dev'), await signInAgain(portal, 'dev')]
    const own = await signInAgain(portal, 'platform')
    const response = await revoke(portal, 'platform', { subject: 'dev' })
    expect([response.status, await response.json()]).toStrictEqual([200, { ended: 2 }])
    for (const cookie of theirs) expect(await statusOf(portal, cookie)).toBe(401)
    expect(await statusOf(portal, own)).toBe(200)
    const nobody = await revoke(portal, 'platform', { subject: 'nobody' })
    expect(await nobody.json()).toStrictEqual({ ended: 0 })
    expect((await trail(portal)).slice(0, 1)).toStrictEqual([
      ['session.revoke', 'person/dev', 'done', null, 'platform', { ended: 2 }],
    ])
  })

  test('alone: everybody else is refused, on record', async () => {
    await using portal = await openPortal()
    const theirs = await signInAgain(portal, 'dev')
    const response = await revoke(portal, 'manager', { subject: 'dev' })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'forbidden', required: ['platform-team'] })
    expect(await statusOf(portal, theirs)).toBe(200)
    expect(await trail(portal)).toStrictEqual([
      ['session.revoke', 'person/dev', 'denied', 'forbidden', 'manager', {}],
    ])
  })

  test.each([
    [{}],
    [{ subject: '' }],
    [{ subject: 'x'.repeat(256) }],
    [{ subject: 1 }],
    [{ subject: 'a\0b' }],
    [[]],
  ])('names a person: %j is 422', async (body) => {
    expect((await revoke(unchanged(), 'platform', body)).status).toBe(422)
  })
})

test('nothing of a session or its tokens is in a log line or an audit row', async () => {
  await using portal = await openPortal()
  const cookie = await signInAgain(portal, 'platform')
  const session = await portal.portal.sessions.resolve(cookie.slice('portal_session='.length))
  if (session.kind !== 'active' || session.session.tokens === null) throw new Error('no session')
  await portal.request(SESSIONS, { method: 'DELETE', as: 'platform' })
  await revoke(portal, 'platform', { subject: 'dev' })
  portal.provider.failure = { kind: 'identity_rejected' }
  portal.clock.advance(6 * 60_000)
  await revoke(portal, 'platform', { subject: 'dev' })
  const written = JSON.stringify([portal.logged, await recordsOf(portal)])
  expect(written).toContain('session.ended_by_provider')
  const { idToken, accessToken, refreshToken } = session.session.tokens
  for (const secret of [cookie, idToken, accessToken, refreshToken ?? '']) {
    expect(written.includes(secret.slice(-40))).toBe(false)
  }
  expect(written).not.toMatch(/"tokens"|"session":\{/)
})
