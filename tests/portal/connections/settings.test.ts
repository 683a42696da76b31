import { expect, test } from 'bun:test'
import { readConfig } from '#src/config.ts'
import { checkSettings } from '#src/portal/connections/settings.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

const check = (variables: Readonly<Record<string, string>>) => {
  const config = readConfig(
    {
      PUBLIC_URL: 'https://portal.example.org',
      GITOPS_REPOSITORY: 'acme/gitops',
      SESSION_KEYS: `k1:${key(1)}`,
      SECRET_STORE_KEYS: `s1:${key(2)}`,
      WEBHOOK_TOKEN: 'a-token-of-the-webhook',
      TRUSTED_PROXIES: '10.0.0.0/8',
      ...variables,
    },
    () => '',
  )
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  return checkSettings(config.value)
}
const failuresOf = (variables: Readonly<Record<string, string>>) =>
  check(variables)
    .filter(({ ok }) => !ok)
    .map(({ text }) => text)

test('an installation behind a proxy is fine', () => {
  expect(check({})).toStrictEqual([
    { ok: true, text: 'People reach the portal at https://portal.example.org.' },
    { ok: true, text: 'The webhook takes calls with its token.' },
  ])
})

test('sessions over plain http fail, except on this machine', () => {
  expect(failuresOf({ PUBLIC_URL: 'http://portal.example.org' })).toStrictEqual([
    'PUBLIC_URL is http://portal.example.org: sessions would travel unencrypted. Put a proxy with TLS in front, and set PUBLIC_URL to its https address.',
  ])
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(failuresOf({ PUBLIC_URL: `http://${host}:8080` })).toStrictEqual([])
  }
})

test('keys that protect nothing are named by their id and not shown', () => {
  const keys = `new:${key(0)},old:${key(3)},older:${key(3)}`
  const failures = failuresOf({ SESSION_KEYS: keys })
  expect(failures).toStrictEqual([
    'SESSION_KEYS: new is all zeros. Make a key with `openssl rand -base64 32`.',
    'SESSION_KEYS: older is the same key as old. Make a key with `openssl rand -base64 32`.',
  ])
  expect(failures.join()).not.toContain(key(3))
})

test('what is missing is said without being a failure', () => {
  const texts = check({ WEBHOOK_TOKEN: '', TRUSTED_PROXIES: '' })
  expect(texts).toStrictEqual([
    {
      ok: true,
      text: 'People reach the portal at https://portal.example.org. Whatever ends TLS there is not in TRUSTED_PROXIES: every client has its address, in limits and in the audit trail.',
    },
    {
      ok: true,
      text: 'WEBHOOK_TOKEN is not set: the webhook refuses every call, and a push is seen up to 10 s late.',
    },
  ])
})
