import { describe, expect, test } from 'bun:test'
import {
  dependenciesOf,
  keyOf,
  kindOf,
  nameOf,
  type Relation,
  relationGroups,
  relationTo,
  worstKnown,
} from '#src/console/pages/entity/relations.ts'
import type { ApplicationHealth } from '#src/console/ui/health.ts'

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

const component = (name: string): Relation['target'] => ({ kind: 'Component', name, title: null })

describe('the dependencies', () => {
  // prettier-ignore
  test.each<[string, readonly Relation[], readonly string[] | null, readonly string[]]>([
    ['none: a part or an owner is none', [relation('ownedBy', 'payments'), relation('partOf', 'x')],     null,       []],
    ['what it needs',    [relation('dependsOn', 'db'), relation('consumesApi', 'rates'), relation('apiProvidedBy', 'server')], [], ['component/db', 'component/rates', 'component/server']],
    ['what needs it',    [relation('providesApi', 'http'), relation('dependencyOf', 'web')],             ['component/http', 'component/web'], []],
    ['a cycle',          [relation('dependsOn', 'a'), relation('dependencyOf', 'a')],                    ['component/a'], ['component/a']],
    ['itself',           [relation('dependsOn', 'self'), relation('dependencyOf', 'self')],              ['component/self'], ['component/self']],
    ['unknown targets',  [broken('resource:gone'), broken('not a ref: at all')],                         [],         ['resource:gone', 'not a ref: at all']],
    ['one by two types', [relation('dependsOn', 'rates'), relation('consumesApi', 'rates'), relation('dependsOn', 'db')], [], ['component/rates', 'component/db']],
    ['two hundred',      Array.from({ length: 200 }, (_, at) => relation('dependencyOf', `c${at}`)),     Array.from({ length: 200 }, (_, at) => `component/c${at}`), []],
  ])('%s', (_, relations, neededBy, needs) => {
    const sides = dependenciesOf(relations)
    expect(sides?.neededBy.map(keyOf) ?? null).toStrictEqual(neededBy === null ? null : [...neededBy])
    expect(sides?.needs.map(keyOf) ?? []).toStrictEqual([...needs])
  })

  test('their mark is the worst verdict of those that are known', () => {
    const row = (name: string, environment: string, health: ApplicationHealth['health']) =>
      ({ entity: component(name), environment, health }) as unknown as ApplicationHealth
    const rows = [
      row('a', 'dev', 'Healthy'),
      row('a', 'staging', 'Unstable'),
      row('a', 'production', 'Unknown'),
      row('b', 'dev', 'Unknown'),
    ]
    const marks = ['a', 'b', 'c'].map((name) => worstKnown(rows, relation('dependsOn', name)))
    expect(marks.map((mark) => mark?.environment)).toStrictEqual(['staging', undefined, undefined])
  })
})
