import { describe, expect, test } from 'bun:test'
import { createTransactionCookies } from '#src/lib/domain/access/sign-in/transaction-cookie.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const MINUTE_MS = 60_000
let now = 1_800_000_000_000
const clock = { now: () => now }
const keyring = ephemeralKeyring()
const cookies = createTransactionCookies(keyring, clock, true)

const state = (begin: string) => begin.padEnd(43, 'x')
const transaction = (begin: string) => ({
  state: state(begin),
  nonce: `nonce-of-${begin}`,
  codeVerifier: `verifier-of-${begin}`,
})
const bind = (begin: string, header: string | null = null, returnTo = '/docs') =>
  cookies.bind({ transaction: transaction(begin), returnTo }, header)
/** What the browser sends back. */
const sent = (setCookie: string | undefined): string => setCookie?.split(';')[0] ?? ''
const cookieOf = (begin: string) => sent(bind(begin)[0])
const CLEARED = '=; Path=/api/v1/auth; HttpOnly; SameSite=Lax; Max-Age=0; Secure'

describe('a sign-in under way', () => {
  test('is bound to the browser by a short-lived cookie that only we can read', () => {
    const [setCookie = ''] = bind('tab-one1')
    expect(setCookie).toMatch(
      /^portal_login_tab-one1=ephemeral\.[\w-]+; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    )
    const readable = Buffer.from(sent(setCookie).split('.')[1] ?? '', 'base64url').toString(
      'latin1',
    )
    for (const secret of ['nonce', 'verifier', 'docs', 'tab-one1']) {
      expect(readable).not.toContain(secret)
    }
    expect(cookies.find(state('tab-one1'), sent(setCookie))).toStrictEqual({
      transaction: transaction('tab-one1'),
      returnTo: '/docs',
      expiresAt: now + 10 * MINUTE_MS,
    })
    expect(cookies.cleared(state('tab-one1'))).toBe(`portal_login_tab-one1${CLEARED}`)
  })

  test('goes over plain http where the portal does', () => {
    const plain = createTransactionCookies(keyring, clock, false)
    expect(plain.cleared(state('a'))).not.toContain('Secure')
  })

  test('is found among others, one per tab', () => {
    const header = `portal_session=x; ${cookieOf('tab-one1')}; a=b; ${cookieOf('tab-two2')}`
    for (const begin of ['tab-one1', 'tab-two2']) {
      expect(cookies.find(state(begin), header)?.transaction).toStrictEqual(transaction(begin))
    }
  })

  test('SEC-O1 is not found without its cookie', () => {
    for (const header of [null, '', 'portal_session=x', 'portal_login_tab-one1=']) {
      expect(cookies.find(state('tab-one1'), header)).toBeUndefined()
    }
  })

  test('SEC-O2 is not found after ten minutes', () => {
    const cookie = cookieOf('tab-one1')
    const begun = now
    now = begun + 10 * MINUTE_MS - 1
    expect(cookies.find(state('tab-one1'), cookie)).toBeDefined()
    now = begun + 10 * MINUTE_MS
    expect(cookies.find(state('tab-one1'), cookie)).toBeUndefined()
    now = begun
  })

  test('SEC-O2 is not found by the state of another tab, though the names agree', () => {
    const header = cookieOf('tab-one1')
    expect(cookies.find(`tab-one1${'y'.repeat(35)}`, header)).toBeUndefined()
    const renamed = header.replace('tab-one1', 'tab-two2')
    expect(cookies.find(state('tab-two2'), renamed)).toBeUndefined()
  })

  test('SEC-O2 is not found when its cookie is forged, torn or sealed with another key', () => {
    const good = cookieOf('tab-one1')
    const [name = '', value = ''] = good.split('=')
    const [, sealed = ''] = value.split('.')
    const flipped = `${sealed.slice(0, 30)}${sealed[30] === 'A' ? 'B' : 'A'}${sealed.slice(31)}`
    const foreign = createTransactionCookies(ephemeralKeyring(), clock, true)
    const forged = [
      `${name}=ephemeral.${flipped}`,
      `${name}=ephemeral.${sealed.slice(0, -8)}`,
      `${name}=k9.${sealed}`,
      `${name}=${sealed}`,
      `${name}=ephemeral.`,
      `${name}={"nonce":"x"}`,
      sent(foreign.bind({ transaction: transaction('tab-one1'), returnTo: '/' }, null)[0]),
    ]
    for (const header of forged) {
      expect([header, cookies.find(state('tab-one1'), header)]).toStrictEqual([header, undefined])
    }
  })

  test('SEC-O2 is not found beside a second value, which a sibling host may have planted', () => {
    const own = cookieOf('tab-one1')
    expect(cookies.find(state('tab-one1'), `${own}; ${own}`)).toBeDefined()
    expect(cookies.find(state('tab-one1'), `${own}; ${cookieOf('tab-one1')}`)).toBeUndefined()
  })

  test.each([
    '',
    'short',
    `${'x'.repeat(20)};`,
    `${'x'.repeat(20)}=`,
    'x'.repeat(257),
    '../'.repeat(9),
  ])('is not found by a state that is none: %p', (given) =>
    expect(cookies.find(given, cookieOf('tab-one1'))).toBeUndefined(),
  )

  test('a ninth ends the oldest', () => {
    const header = Array.from({ length: 9 }, (_, tab) => cookieOf(`tab-000${tab}`)).join('; ')
    const [kept, ...cleared] = bind('tab-new1', header)
    expect(sent(kept)).toStartWith('portal_login_tab-new1=ephemeral.')
    expect(cleared.toSorted()).toStrictEqual(
      ['0', '1'].map((tab) => `portal_login_tab-000${tab}${CLEARED}`),
    )
    expect(bind('tab-new2', cookieOf('tab-0000'))).toHaveLength(1)
  })

  test('long ones never make the headers of a browser too large', () => {
    const jar = new Map<string, string>()
    for (let tab = 0; tab < 30; tab++) {
      const header = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      for (const setCookie of bind(`tab-${1000 + tab}`, header, `/${'x'.repeat(999)}`)) {
        const [name = '', value = ''] = sent(setCookie).split('=')
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
    }
    const bytes = [...jar].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    expect(bytes).toBeLessThan(8 * 1024)
    expect(jar.size).toBeGreaterThanOrEqual(4)
    expect(jar.has('portal_login_tab-1029')).toBe(true)
  })
})
