import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { suggest } from '#src/lib/domain/catalog/suggest.ts'
import { entityOf } from './draft.ts'

// prettier-ignore
const catalog = [
  entityOf('payments', { kind: 'API' }),
  entityOf('payment-api'),
  entityOf('payments-api'),
  entityOf('payouts-api'),
  entityOf('shipping'),
  entityOf('a'),
]

// prettier-ignore
test.each<[string, string, string, string[]]>([
  ['one letter less',             'Component', 'payments-ap',  ['component/payments-api', 'component/payment-api']],
  ['one letter more',             'component', 'shippping',    ['component/shipping']],
  ['two letters swapped',         'component', 'shpiping',     ['component/shipping']],
  ['in capitals',                 'COMPONENT', 'SHIPING',      ['component/shipping']],
  ['of another kind',             'component', 'PAYMENTS',     ['api/payments']],
  ['only the very name there',    'component', 'payment',      []],
  ['three letters away',          'component', 'shipp',        ['component/shipping']],
  ['four letters away',           'component', 'ship',         ['component/a'].slice(1)],
  ['nearest first',               'component', 'payment-apis', ['component/payment-api', 'component/payments-api']],
  ['a kind that nobody has',      'thing',     'shipping',     ['component/shipping']],
  ['like nothing',                'component', 'x'.repeat(63), []],
  ['nothing',                     'component', '',             ['component/a']],
])('%s', (_, kind, name, refs) => {
  expect(suggest(catalog, kind, name)).toStrictEqual(refs)
})

test('five at most', () => {
  const many = Array.from({ length: 20 }, (_, index) => entityOf(`shop-${index}`))
  expect(suggest(many, 'component', 'shop-x')).toStrictEqual(
    [0, 1, 2, 3, 4].map((index) => `component/shop-${index}`),
  )
})

/** Levenshtein's distance by its definition, for short texts. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  if (a[0] === b[0]) return distance(a.slice(1), b.slice(1))
  return (
    1 + Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)))
  )
}

test('exactly those whose distance is at most three', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { maxLength: 5 }), (wanted, names) => {
      const entities = names.map((each) => entityOf(each))
      const expected = names
        .map((each) => ({ ref: `component/${each}`, apart: distance(wanted, each) }))
        .filter(({ apart }) => apart <= 3)
        .toSorted((a, b) => a.apart - b.apart || (a.ref < b.ref ? -1 : 1))
        .map(({ ref }) => ref)
      expect(suggest(entities, 'component', wanted)).toStrictEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})
