import { expect, test } from 'bun:test'
import { readAddress } from '#src/lib/adapters/database/check/address.ts'
import { checkTls } from '#src/lib/adapters/database/check/tls.ts'

// prettier-ignore
test.each([
  ['db.example.org',                      true,  null, true,  'its certificate checked'],
  ['db.example.org/p?sslmode=prefer',     false, null, false, 'not encrypted'],
  ['db.example.org/p?sslmode=prefer',     true,  null, true,  'nobody checks the certificate'],
  ['db.example.org/p?sslmode=require',    true,  null, true,  'nobody checks the certificate'],
  ['db.example.org/p?sslmode=disable',    true,  null, true,  'as sslmode=disable says'],
  ['db.example.org/p?sslmode=verify-full', true, null, true,  'its certificate checked'],
  ['db.example.org',                      true,  'pem', true, 'its certificate checked'],
  ['localhost',                           true,  null, true,  'does not leave this machine'],
  ['[::1]:5433',                          true,  null, true,  'does not leave this machine'],
])('%s, TLS offered: %p, authority: %p', (rest, offersTls, authority, ok, text) => {
  const at = readAddress('DATABASE_URL', `postgres://portico:hunter2@${rest}`)
  if (at === undefined) throw new Error(rest)
  const finding = checkTls(at, offersTls, authority)
  expect(finding).toStrictEqual({ ok, text: expect.stringContaining(text) })
  expect(finding.text).not.toContain('hunter2')
})
