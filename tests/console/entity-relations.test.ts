import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { linesOf, NODES_MAX, pictureOf } from '#src/console/pages/entity/picture.ts'
import {
  kindOf,
  nameOf,
  type Relation,
  relationGroups,
  relationTo,
} from '#src/console/pages/entity/relations.ts'

const relation = (type: Relation['type'], name: string, title: string | null = null): Relation => ({
  type,
  ref: `component:${name}`,
  target: { kind: 'Component', name, title },
})
const broken = (ref: string): Relation => ({ type: 'dependsOn', ref, target: null })

describe('the list', () => {
  test('is grouped by type, both ways; owner and system are told elsewhere', () => {
    const groups = relationGroups([
      relation('partOf', 'checkout'),
      relation('dependencyOf', 'web'),
      relation('ownedBy', 'payments'),
      relation('dependsOn', 'db'),
      relation('dependencyOf', 'ledger'),
    ])
    expect(groups.map(({ title, relations }) => [title, relations.map(nameOf)])).toStrictEqual([
      ['Needs', ['db']],
      ['Needed by', ['web', 'ledger']],
    ])
  })

  test('names what a broken reference names', () => {
    expect([nameOf(broken('resource:old-db')), kindOf(broken('resource:old-db'))]).toStrictEqual([
      'old-db',
      'resource',
    ])
    expect([nameOf(broken('not a ref: at all')), kindOf(broken('x'))]).toStrictEqual([
      'not a ref: at all',
      '',
    ])
  })

  test('prefers titles, and finds the owner', () => {
    expect(nameOf(relation('ownedBy', 'payments', 'Payments'))).toBe('Payments')
    expect(relationTo([relation('ownedBy', 'payments')], 'ownedBy')?.target?.name).toBe('payments')
    expect(relationTo([], 'ownedBy')).toBeUndefined()
  })
})

describe('the picture', () => {
  const many = (type: Relation['type'], count: number) =>
    Array.from({ length: count }, (_, index) => relation(type, `${type}-${index}`))

  test('needs a dependency: a part or an owner is none', () => {
    expect(pictureOf([relation('ownedBy', 'payments'), relation('partOf', 'x')])).toBeNull()
  })

  test('has what needs it on one side, and what it needs on the other', () => {
    const picture = pictureOf([
      relation('dependsOn', 'db'),
      relation('consumesApi', 'rates'),
      relation('apiProvidedBy', 'server'),
      relation('providesApi', 'http'),
      relation('dependencyOf', 'web'),
    ])
    expect(picture?.needs.relations.map(nameOf)).toStrictEqual(['db', 'rates', 'server'])
    expect(picture?.neededBy.relations.map(nameOf)).toStrictEqual(['http', 'web'])
    expect(picture?.rows).toBe(3)
    expect(picture?.neededBy.ends).toStrictEqual([1, 2])
  })

  test('says how many it leaves out', () => {
    const picture = pictureOf(many('dependencyOf', 43))
    expect(picture?.neededBy.relations).toHaveLength(NODES_MAX)
    expect(picture?.neededBy.more).toBe(43 - NODES_MAX)
    expect(picture?.rows).toBe(NODES_MAX + 1)
    expect(picture?.needs).toStrictEqual({ relations: [], more: 0, ends: [] })
  })

  test('has every line inside, from top to bottom, one for each row', () => {
    const counts = fc.record({ left: fc.nat(40), right: fc.integer({ min: 1, max: 40 }) })
    fc.assert(
      fc.property(counts, ({ left, right }) => {
        const picture = pictureOf([...many('dependencyOf', left), ...many('dependsOn', right)])
        if (picture === null) throw new Error('there is a dependency')
        for (const side of [picture.neededBy, picture.needs]) {
          const rows = side.relations.length + (side.more > 0 ? 1 : 0)
          expect(linesOf(picture, side)).toHaveLength(rows)
          expect(side.ends.toSorted((one, other) => one - other)).toStrictEqual([...side.ends])
          for (const end of side.ends) {
            expect(end).toBeGreaterThan(0)
            expect(end).toBeLessThan(picture.rows)
          }
        }
      }),
    )
  })
})
