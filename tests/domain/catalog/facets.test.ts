import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { facetsOf } from '#src/lib/domain/catalog/facets.ts'
import { select } from '#src/lib/domain/catalog/query.ts'
import { entities, entityOf, noFilter, shop } from './draft.ts'

describe('facets', () => {
  test('most frequent first, then by value', () => {
    expect(facetsOf(shop)).toStrictEqual({
      kind: [
        { value: 'Component', count: 4 },
        { value: 'API', count: 1 },
      ],
      system: [
        { value: 'Shop', count: 2 },
        { value: 'find', count: 1 },
      ],
      owner: [
        { value: 'acme/orders', count: 1 },
        { value: 'group:acme/payments', count: 1 },
        { value: 'group:payments', count: 1 },
        { value: 'payments', count: 1 },
        { value: 'user:payments', count: 1 },
      ],
      lifecycle: [
        { value: 'Production', count: 2 },
        { value: 'staging', count: 1 },
      ],
      type: [{ value: 'openapi', count: 1 }],
      tag: [
        { value: 'checkout', count: 1 },
        { value: 'java', count: 1 },
      ],
    })
  })

  test('have the spelling that most entities have', () => {
    const spelled = ['api', 'API', 'API', 'Api'].map((kind, index) =>
      entityOf(`e-${index}`, { kind }),
    )
    expect(facetsOf(spelled).kind).toStrictEqual([{ value: 'API', count: 4 }])
  })

  test('count an entity once for a tag that it has in several spellings', () => {
    const tagged = [entityOf('a', { tags: ['Go', 'go', 'pci'] }), entityOf('b', { tags: ['go'] })]
    expect(facetsOf(tagged).tag).toStrictEqual([
      { value: 'go', count: 2 },
      { value: 'pci', count: 1 },
    ])
  })

  test('count what their filter finds', () => {
    fc.assert(
      fc.property(entities, (list) => {
        const catalog = list.map(({ entity }) => entity)
        const facets = facetsOf(catalog)
        for (const facet of ['kind', 'system', 'lifecycle', 'type', 'tag'] as const) {
          for (const { value, count } of facets[facet]) {
            expect(select(catalog, { ...noFilter, [facet]: [value] })).toHaveLength(count)
          }
        }
      }),
    )
  })

  test('of nothing are none', () => {
    expect(Object.values(facetsOf([]))).toStrictEqual([[], [], [], [], [], []])
  })

  test('values that are names of Object.prototype', () => {
    const odd = [entityOf('a', { type: 'constructor' }), entityOf('b', { type: '__proto__' })]
    expect(facetsOf(odd).type).toStrictEqual([
      { value: '__proto__', count: 1 },
      { value: 'constructor', count: 1 },
    ])
  })

  test('count each entity that has a value once', () => {
    fc.assert(
      fc.property(entities, (list) => {
        const facets = facetsOf(list.map(({ entity }) => entity))
        for (const facet of ['kind', 'system', 'owner', 'lifecycle', 'type'] as const) {
          const total = facets[facet].reduce((sum, { count }) => sum + count, 0)
          expect(total).toBe(list.filter(({ entity }) => entity.card[facet] !== null).length)
          expect(new Set(facets[facet].map(({ value }) => value)).size).toBe(facets[facet].length)
        }
      }),
    )
  })
})
