import { describe, expect, test } from 'bun:test'
import { choicesOf, toggled } from '#src/console/pages/catalog/facet-values.ts'
import {
  CLEARED,
  countingFilter,
  countWords,
  filterOf,
  isNarrowed,
  lifecycleTabs,
  nextSort,
  sortedBy,
  orderedFilter,
} from '#src/console/pages/catalog/filters.ts'
import { searchOf } from '#src/console/paths.ts'

const of = (search: string) => filterOf(new URLSearchParams(search))

describe('the filter of an address', () => {
  test('has the parameters of the API, without empty and foreign ones', () => {
    expect(of('?q=pay&kind=Component,API&mine=true&sort=-owner&owner=&do=promote')).toStrictEqual({
      q: 'pay',
      kind: 'Component,API',
      mine: 'true',
      sort: '-owner',
    })
  })

  test.each([
    ['', false],
    ['?sort=name', false],
    ['?mine=true', true],
    ['?q=a', true],
    ['?lifecycle=staging', true],
  ])('of %p leaves entities out: %p', (search, narrowed) => {
    expect(isNarrowed(of(search))).toBe(narrowed)
  })

  test('is cleared without its order', () => {
    const filter = of('?q=a&kind=API&type=b&owner=c&system=d&tag=e&lifecycle=f&mine=true&sort=name')
    expect(searchOf({ ...filter, ...CLEARED })).toBe('?sort=name')
  })

  test('is counted without its order and without the choices of the facet', () => {
    expect(countingFilter(of('?q=a&kind=API&type=grpc&sort=name'), 'kind')).toStrictEqual({
      q: 'a',
      type: 'grpc',
    })
  })
})

describe('choices of a facet', () => {
  const counts = [
    { value: 'group:acme/payments', count: 12 },
    { value: 'group:acme/shipping', count: 3 },
  ]

  test('are in the order of the API, with short names of owners', () => {
    expect(choicesOf('owner', counts, of(''))).toStrictEqual([
      { value: 'group:acme/payments', label: 'payments', count: 12, isChosen: false },
      { value: 'group:acme/shipping', label: 'shipping', count: 3, isChosen: false },
    ])
  })

  test.each(['payments', 'Acme/Payments', 'group:acme/payments'])('know %p as chosen', (owner) => {
    const chosen = choicesOf('owner', counts, of(`?owner=${owner}`)).filter(
      ({ isChosen }) => isChosen,
    )
    expect(chosen.map(({ value }) => value)).toStrictEqual(['group:acme/payments'])
  })

  test.each(['user:payments', 'other/payments', 'pay'])('are others than %p', (owner) => {
    const [first] = choicesOf('owner', counts, of(`?owner=${owner}`))
    expect(first?.isChosen).toBe(false)
  })

  test('keep full names where two owners share a short one', () => {
    const namesakes = [...counts, { value: 'group:other/payments', count: 1 }]
    expect(choicesOf('owner', namesakes, of('')).map(({ label }) => label)).toStrictEqual([
      'group:acme/payments',
      'shipping',
      'group:other/payments',
    ])
  })

  test('keep what is chosen and has no entity', () => {
    expect(choicesOf('type', [{ value: 'service', count: 1 }], of('?type=grpc'))).toContainEqual({
      value: 'grpc',
      label: 'grpc',
      count: 0,
      isChosen: true,
    })
  })

  test('are taken and taken back', () => {
    const filter = of('?owner=Payments,unknown')
    const [payments, shipping] = choicesOf('owner', counts, filter)
    if (payments === undefined || shipping === undefined) throw new Error('two owners')
    expect(toggled('owner', payments, filter)).toStrictEqual({ owner: 'unknown' })
    expect(toggled('owner', shipping, filter)).toStrictEqual({ owner: 'Payments,unknown,shipping' })
  })
})

describe('the order', () => {
  test('goes upwards, downwards, and back to that of the API', () => {
    expect(nextSort(of(''), 'owner')).toStrictEqual({ sort: 'owner' })
    expect(nextSort(of('?sort=owner'), 'owner')).toStrictEqual({ sort: '-owner' })
    expect(nextSort(of('?sort=-owner'), 'owner')).toStrictEqual({ sort: undefined })
    expect(nextSort(of('?sort=-owner'), 'name')).toStrictEqual({ sort: 'name' })
  })

  test('is said at its column alone', () => {
    expect(sortedBy(of('?sort=name'), 'name')).toBe('ascending')
    expect(sortedBy(of('?sort=-name'), 'name')).toBe('descending')
    expect(sortedBy(of('?sort=name'), 'owner')).toBeUndefined()
  })
})

describe('tabs of lifecycles', () => {
  const counts = {
    kind: [
      { value: 'Component', count: 3 },
      { value: 'Group', count: 2 },
    ],
    lifecycle: [
      { value: 'production', count: 2 },
      { value: 'sunset', count: 1 },
    ],
  }

  test('have all five, then those that only this catalog has', () => {
    const tabs = lifecycleTabs(counts, of('?lifecycle=sunset'))
    expect(tabs.map(({ value, count }) => [value, count])).toStrictEqual([
      ['', 5],
      ['experimental', 0],
      ['development', 0],
      ['staging', 0],
      ['production', 2],
      ['deprecated', 0],
      ['sunset', 1],
    ])
    expect(tabs.filter(({ isChosen }) => isChosen).map(({ value }) => value)).toStrictEqual([
      'sunset',
    ])
  })

  test('have no numbers before the counts are there', () => {
    const tabs = lifecycleTabs(undefined, of(''))
    expect(tabs.every(({ count }) => count === undefined)).toBe(true)
    expect(tabs[0]?.isChosen).toBe(true)
  })
})

test.each([
  [14, 27, '14 of 27 entities'],
  [0, 27, '0 of 27 entities'],
  [1, undefined, '1 entity'],
  [27, 27, '27 entities'],
  [9_999, 10_000, '9,999 of 10,000 entities'],
])('%p of %p are counted as %p', (shown, whole, words) => {
  expect(countWords(shown, whole)).toBe(words)
})

describe('the order of the list', () => {
  test.each([
    [{}, { sort: 'kind' }],
    [{ kind: 'api' }, { kind: 'api', sort: 'kind' }],
    [{ sort: '-name' }, { sort: '-name' }],
    [{ q: 'pay' }, { q: 'pay' }],
  ])('%p is asked with %p', (filter, asked) => {
    expect(orderedFilter(filter)).toStrictEqual(asked)
  })
})
