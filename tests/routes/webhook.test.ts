import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { component, openPortal, sharedPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const REFRESH = '/api/v1/webhooks/catalog/refresh'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const post = (headers: Record<string, string>, body?: string) => ({
  method: 'POST',
  headers,
  ...(body !== undefined && { body }),
})
const sign = (body: string, token: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', token).update(body).digest('hex')}`,
})

describe('the refresh webhook', () => {
  const unchanged = sharedPortal()

  test('answers 204 without a body, and no later read shows what was there before', async () => {
    await using portal = await openPortal()
    const before = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
    expect(before.headers.get('x-total-count')).toBe('1')
    await portal.commit({ 'catalog/new.yaml': component('new') })

    const response = await portal.request(
      REFRESH,
      post(bearer(WEBHOOK_TOKEN), '{"ref":"refs/heads/main"}'),
    )
    expect([response.status, await response.text()]).toStrictEqual([204, ''])
    const after = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
    expect(after.headers.get('x-total-count')).toBe('2')
  })

  test.each([
    ['no token', {}],
    ['a wrong token', bearer('not-the-token-of-tests')],
    ['a signature of something else', sign('other', WEBHOOK_TOKEN)],
  ])('refuses %s', async (_, headers) => {
    const response = await unchanged().request(REFRESH, post(headers, '{}'))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ code: 'webhook_unauthorized' })
  })

  test('a session does not help', async () => {
    const response = await unchanged().request(REFRESH, { method: 'POST', as: 'platform' })
    expect(response.status).toBe(401)
  })

  test('takes both tokens while one replaces the other', async () => {
    const [old, next] = ['the-old-token-of-the-tests', 'the-new-token-of-the-tests']
    await using portal = await openPortal({ environment: { WEBHOOK_TOKEN: `${next}, ${old}` } })
    for (const token of [old, next]) {
      expect((await portal.request(REFRESH, post(bearer(token)))).status).toBe(204)
    }
  })

  test('without a configured token refuses everything, and says so at start', async () => {
    await using portal = await openPortal({ environment: { WEBHOOK_TOKEN: '' } })
    for (const headers of [bearer(''), bearer('undefined'), bearer('null'), sign('', '')]) {
      expect((await portal.request(REFRESH, post(headers))).status).toBe(401)
    }
    expect(portal.logged.join('')).toContain('WEBHOOK_TOKEN is not set')
  })

  test('a body over the limit is refused without being kept', async () => {
    await using portal = await openPortal()
    const response = await portal.request(REFRESH, {
      method: 'POST',
      headers: { ...bearer(WEBHOOK_TOKEN), 'content-length': String(33 * 1024 * 1024) },
      body: 'x',
    })
    expect(response.status).toBe(413)
  })
})
