import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { facetsOf } from '#src/lib/domain/catalog/facets.ts'
import { select } from '#src/lib/domain/catalog/query.ts'
import { entities, entityOf, shop } from './draft.ts'

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
    })
  })

  test('have the spelling that most entities have', () => {
    const spelled = ['api', 'API', 'API', 'Api'].map((kind, index) =>
      entityOf(`e-${index}`, { kind }),
    )
    expect(facetsOf(spelled).kind).toStrictEqual([{ value: 'API', count: 4 }])
  })

  test('count what their filter finds', () => {
    const none = { kind: [], system: [], owner: [], lifecycle: [], q: '' }
    fc.assert(
      fc.property(entities, (list) => {
        const catalog = list.map(({ entity }) => entity)
        const facets = facetsOf(catalog)
        for (const facet of ['kind', 'system', 'lifecycle'] as const) {
          for (const { value, count } of facets[facet]) {
            expect(select(catalog, { ...none, [facet]: [value] })).toHaveLength(count)
          }
        }
      }),
    )
  })

  test('of nothing are none', () => {
    expect(facetsOf([])).toStrictEqual({ kind: [], system: [], owner: [], lifecycle: [], type: [] })
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
