import { describe, expect, test } from 'bun:test'
import { isTopic } from '#src/console/api/live/events.ts'
import { AnyCaseLabel, EntityKind, Label, RunId, Subdomain } from '#src/lib/names.ts'

const RUN = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'
const PARTS = [
  'dev-east',
  'a',
  '0',
  'x'.repeat(63),
  'x'.repeat(64),
  '',
  '-a',
  'a-',
  'a_b',
  'a.b',
  'a,b',
  'a/b',
  '__proto__',
  '%',
  'é',
  '\n',
  'component',
]

describe('a topic', () => {
  test.each([
    'catalog',
    'promotions',
    `run:${RUN}`,
    'promotion:component/payments-api',
    'workloads:dev-east/payments-dev',
    'pods:dev-east/payments-dev/shop-1.x',
    'deployments:dev-east/payments-dev/shop?tier=web',
    'pods:dev-east/payments-dev?app.kubernetes.io/name=shop&tier=web',
  ])('of a page: %p', (name) => expect(isTopic(name)).toBe(true))

  test.each([
    '',
    'catalogs',
    'runs',
    `run:${RUN}0`,
    'pods',
    'pods:',
    'pods:a',
    'workloads:a/b/c',
    'x:a/b',
    'a,catalog',
  ])('that the API does not know: %p', (name) => expect(isTopic(name)).toBe(false))

  test('has the names that the API takes', () => {
    for (const one of [...PARTS, 'a..b', 'x'.repeat(253), 'x'.repeat(254)]) {
      expect({ one, is: isTopic(`pods:a/b/${one}`) }).toStrictEqual({
        one,
        is: Subdomain.parse(one) !== undefined,
      })
      expect({ one, is: isTopic(`run:${one}`) }).toStrictEqual({
        one,
        is: RunId.parse(one) !== undefined,
      })
      for (const other of PARTS) {
        const list = Label.parse(one) !== undefined && Label.parse(other) !== undefined
        const entity =
          EntityKind.parse(one) !== undefined && AnyCaseLabel.parse(other) !== undefined
        expect({ one, other, list: isTopic(`workloads:${one}/${other}`) }).toEqual({
          one,
          other,
          list,
        })
        expect({ one, other, entity: isTopic(`promotion:${one}/${other}`) }).toEqual({
          one,
          other,
          entity,
        })
      }
    }
  })
})
