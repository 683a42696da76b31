import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createOrders, sortKeys } from '#src/lib/domain/catalog/order.ts'
import { select } from '#src/lib/domain/catalog/query.ts'
import { entities, entityOf, noFilter } from './draft.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const inOrder = createOrders(pipelineOf().lifecycles)

// prettier-ignore
const catalog = [
  entityOf('zoo',     { kind: 'API',       lifecycle: 'production',   owner: 'group:acme/b' }),
  entityOf('ant',     { kind: 'Component', lifecycle: 'Experimental', owner: 'group:acme/a' }),
  entityOf('bee',     { kind: 'Component' }),
  entityOf('cat',     { kind: 'Component', lifecycle: 'deprecated',   owner: 'group:acme/b' }),
  entityOf('dog',     { kind: 'component', lifecycle: 'retired',      owner: 'group:acme/a' }),
  entityOf('ant',     { kind: 'Resource',  lifecycle: 'development' }),
]

describe('orders', () => {
  // prettier-ignore
  test.each([
    ['name',       ['ant', 'ant', 'bee', 'cat', 'dog', 'zoo']],
    ['-name',      ['zoo', 'dog', 'cat', 'bee', 'ant', 'ant']],
    ['kind',       ['ant', 'bee', 'cat', 'dog', 'zoo', 'ant']],
    ['-kind',      ['ant', 'zoo', 'ant', 'bee', 'cat', 'dog']],
    ['lifecycle',  ['ant', 'ant', 'zoo', 'cat', 'bee', 'dog']],
    ['-lifecycle', ['cat', 'zoo', 'ant', 'ant', 'bee', 'dog']],
    ['owner',      ['ant', 'dog', 'zoo', 'cat', 'bee', 'ant']],
    ['-owner',     ['zoo', 'cat', 'ant', 'dog', 'bee', 'ant']],
  ] as const)('%s', async (sort, names) => {
    const ordered = await inOrder(catalog, sort)
    expect(ordered.map(({ card }) => card.name)).toStrictEqual([...names])
  })

  test('are made once for a snapshot', () => {
    expect(inOrder(catalog, '-name')).toBe(inOrder(catalog, '-name'))
    expect(inOrder([...catalog], '-name')).not.toBe(inOrder(catalog, '-name'))
  })

  test('lose and add nothing, and equal entities stay in theirs', async () => {
    await fc.assert(
      fc.asyncProperty(entities, fc.constantFrom(...sortKeys), async (list, sort) => {
        const all = list.map(({ entity }) => entity)
        const ordered = await inOrder(all, sort)
        expect(new Set(ordered)).toStrictEqual(new Set(all))
        expect(ordered).toHaveLength(all.length)
        const field = sort === 'owner' || sort === '-owner' ? sort.replace('-', '') : undefined
        if (field === undefined) return
        const places = (owner: string | null, of: typeof all) =>
          of.filter(({ card }) => card.owner === owner)
        for (const { card } of all) {
          expect(places(card.owner, [...ordered])).toStrictEqual(places(card.owner, all))
        }
      }),
    )
  })

  test('stay with a text: its matches are not ranked', async () => {
    const shops = [
      entityOf('a', { description: 'a shop', owner: 'x' }),
      entityOf('shop', { owner: 'y' }),
    ]
    const found = (isRanked: boolean) =>
      select(shops, { ...noFilter, q: 'shop' }, isRanked).map(({ card }) => card.name)
    expect(found(true)).toStrictEqual(['shop', 'a'])
    expect(found(false)).toStrictEqual(['a', 'shop'])
  })
})
