import { expect, test } from 'bun:test'
import { readConfig } from '#src/config/config.ts'
import { checkSettings } from '#src/compose/connections/settings.ts'

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
  ])
})

test('sessions over plain http fail, except on this machine', () => {
  expect(failuresOf({ PUBLIC_URL: 'http://portal.example.org' })).toStrictEqual([
    'PUBLIC_URL is http: session cookies travel unencrypted. Put a proxy with TLS in front, and set PUBLIC_URL to its https address.',
  ])
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(failuresOf({ PUBLIC_URL: `http://${host}:8080` })).toStrictEqual([])
  }
})

test('a variable that is probably misspelt fails', () => {
  expect(failuresOf({ OIDC_CLIENT_SECERT: 'x' })).toStrictEqual([
    'OIDC_CLIENT_SECERT is not a setting, and has no effect: OIDC_CLIENT_SECRET may be meant.',
  ])
})

test('what is missing is said without being a failure', () => {
  const texts = check({ WEBHOOK_TOKEN: '', TRUSTED_PROXIES: '' })
  expect(texts).toStrictEqual([
    { ok: true, text: 'People reach the portal at https://portal.example.org.' },
    {
      ok: true,
      text: 'TRUSTED_PROXIES is not set: in limits and in the audit trail every client has the address of the proxy that ends TLS.',
    },
    {
      ok: true,
      text: 'WEBHOOK_TOKEN is not set: the webhook refuses every call, and a push is seen up to 10 s late.',
    },
  ])
})
