import { expect, test } from 'bun:test'
import { entityOf, parseRef, shortName } from '#src/console/ui/names.ts'

test.each([
  ['group:acme/payments', 'group', 'acme', 'payments'],
  ['Group:acme/payments', 'group', 'acme', 'payments'],
  ['acme/payments', null, 'acme', 'payments'],
  ['resource:payments-db', 'resource', null, 'payments-db'],
  ['payments-http', null, null, 'payments-http'],
])('%s', (text, kind, namespace, name) => {
  expect(parseRef(text)).toStrictEqual({ kind, namespace, name })
  expect(shortName(text)).toBe(name)
})

test.each(['', ':', 'a:b:c', 'group:', 'a/b/c', 'group:/x', '1a:x', 'group:a/'])(
  '%j has no form of a reference and is shown as it is',
  (text) => {
    expect(parseRef(text)).toBeNull()
    expect(shortName(text)).toBe(text)
  },
)

test.each([
  ['component/shop', { kind: 'component', name: 'shop' }],
  ['template/bun-service', null],
  ['shop', null],
  ['component/', null],
  ['dev-east/payments', null],
  ['dev-east/payments-dev/shop', null],
  [null, null],
])('%p names the entity %p', (text, entity) => {
  expect(entityOf(text)).toStrictEqual(entity)
})
