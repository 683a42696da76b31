import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '#src/lib/domain/catalog/search-text.ts'
import { type CatalogFilter, select, selectPage, termsOf } from '#src/lib/domain/catalog/query.ts'
import type { CatalogEntity } from '#src/lib/domain/catalog/snapshot.ts'
import { type Draft, entities, noFilter, shop, words } from './draft.ts'

const namesOf = (entities: readonly CatalogEntity[]) => entities.map(({ card }) => card.name)
const found = (entities: readonly CatalogEntity[], filter: Partial<CatalogFilter>) =>
  namesOf(select(entities, { ...noFilter, ...filter }))

describe('filters', () => {
  // prettier-ignore
  test.each<[string, Partial<CatalogFilter>, string[]]>([
    ['none',                      {},                                              ['checkout', 'cart', 'ledger', 'mailer', 'search']],
    ['kind in any case',          { kind: ['api'] },                               ['checkout']],
    ['one kind or another',       { kind: ['API', 'COMPONENT'] },                  ['checkout', 'cart', 'ledger', 'mailer', 'search']],
    ['system in any case',        { system: ['SHOP'] },                            ['checkout', 'cart']],
    ['lifecycle in any case',     { lifecycle: ['PRODUCTION'] },                   ['checkout', 'cart']],
    ['two lifecycles',            { lifecycle: ['staging', 'production'] },        ['checkout', 'cart', 'ledger']],
    ['two filters',               { system: ['shop'], kind: ['component'] },       ['cart']],
    ['two filters that exclude',  { system: ['find'], kind: ['api'] },             []],
    ['what nobody has',           { system: ['nothing'] },                         []],
    ['an empty value',            { system: [''] },                                []],
    ['owner, whole',              { owner: ['group:acme/payments'] },              ['checkout']],
    ['owner with organisation',   { owner: ['acme/payments'] },                    ['checkout']],
    ['owner, team only',          { owner: ['payments'] },                         ['checkout', 'ledger', 'mailer', 'search']],
    ['owner of a user, whole',    { owner: ['user:payments'] },                    ['mailer']],
    ['owner in another case',     { owner: ['Payments'] },                         []],
    ['a part of an owner',        { owner: ['acme'] },                             []],
    ['one owner or another',      { owner: ['orders', 'group:payments'] },         ['cart', 'search']],
    ['type in any case',          { type: ['OpenAPI'] },                           ['checkout']],
    ['a tag in any case',         { tag: ['JAVA'] },                               ['ledger']],
    ['one tag or another',        { tag: ['checkout', 'go'] },                     ['ledger']],
    ['a part of a tag',           { tag: ['jav'] },                                []],
    ['owned by a team',           { ownedBy: ['payments'] },                       ['checkout', 'ledger', 'search']],
    ['owned by teams',            { ownedBy: ['payments', 'orders'] },             ['checkout', 'cart', 'ledger', 'search']],
    ['owned by no team',          { ownedBy: [] },                                 []],
    ['owned by an organisation',  { ownedBy: ['acme', 'acme/payments'] },          []],
    ['own entities of an owner',  { ownedBy: ['payments'], owner: ['orders'] },    []],
    ['filter and text',           { owner: ['payments'], q: 'java' },              ['ledger']],
  ])('%s', (_, filter, names) => {
    expect(found(shop, filter)).toStrictEqual(names)
  })
})

describe('text', () => {
  // prettier-ignore
  test.each<[string, string, string[]]>([
    ['name before title before the rest', 'checkout',            ['checkout', 'mailer', 'cart', 'ledger']],
    ['in any case',                       'CHECKOUT',            ['checkout', 'mailer', 'cart', 'ledger']],
    ['inside of a word',                  'eckou',               ['checkout', 'mailer', 'cart', 'ledger']],
    ['every term must match',             'checkout java',       ['ledger']],
    ['in any order',                      'java checkout',       ['ledger']],
    ['one term that is nowhere',          'checkout nowhere',    []],
    ['terms in name and title',           'shopping cart',       ['cart']],
    ['a term twice',                      'java java',           ['ledger']],
    ['diacritics in the entity',          'creme brulee',        ['mailer']],
    ['diacritics in the query',           'jävà',                ['ledger']],
    ['full width in the query',           'ｊａｖａ',              ['ledger']],
    ['white space of any kind',           ' \t\u00A0java\u2003\n', ['ledger']],
    ['only white space',                  ' \t\u00A0 ',          ['checkout', 'cart', 'ledger', 'mailer', 'search']],
    ['only marks',                        '\u0301',              ['checkout', 'cart', 'ledger', 'mailer', 'search']],
    ['type',                              'openapi',             ['checkout']],
    ['system',                            'find',                ['search']],
    ['owner',                             'acme/pay',            ['checkout']],
    ['an annotation, not its name',       'a/b',                 []],
    ['lifecycle is not text',             'staging',             []],
    ['kind is not text',                  'component',           []],
    ['not from one field to the next',    'checkoutopenapi',     []],
    ['not from name to title',            'cartshopping',        []],
    ['a dot is a dot',                    'j.va',                []],
    ['a star is a star',                  'jav*',                []],
    ['brackets',                          '(brulee)',            ['mailer']],
    ['a broken pattern',                  '([\\',                []],
    ['200 characters',                    'x'.repeat(200),       []],
    ['100 terms',                         'a '.repeat(100),      ['cart', 'mailer', 'search', 'checkout', 'ledger']],
  ])('%s', (_, q, names) => {
    expect(found(shop, { q })).toStrictEqual(names)
  })
})

test('a page is a part of the selection, with its size and the next offset', () => {
  const pageOf = (limit: number | undefined, offset: number) => {
    const page = selectPage(shop, { ...noFilter, q: 'checkout' }, { limit, offset })
    return [namesOf(page.entities), page.total, page.nextOffset]
  }
  expect(pageOf(undefined, 0)).toStrictEqual([['checkout', 'mailer', 'cart', 'ledger'], 4, null])
  expect(pageOf(undefined, 3)).toStrictEqual([['ledger'], 4, null])
  expect(pageOf(2, 0)).toStrictEqual([['checkout', 'mailer'], 4, 2])
  expect(pageOf(2, 2)).toStrictEqual([['cart', 'ledger'], 4, null])
  expect(pageOf(2, 9)).toStrictEqual([[], 4, null])
})

// prettier-ignore
test.each<[string, string[]]>([
  ['',                   []],
  ['b a',                ['b', 'a']],
  ['pay payments PAY',   ['payments']],
  ['x xx xxx',           ['xxx']],
  ['Ü u',                ['u']],
])('the terms of %j', (q, terms) => {
  expect(termsOf(q)).toStrictEqual(terms)
})

test('for any query: what a naive search finds, in its order', () => {
  const some = (...values: string[]) => fc.subarray(values, { maxLength: 2 })
  const filter = fc.record({
    kind: some('api', 'COMPONENT'),
    system: some('SHOP', 'find', 'none'),
    owner: some('pay', 'acme/pay', 'group:pay', ''),
    lifecycle: some('PRODUCTION', 'staging'),
    type: some('SERVICE', 'job'),
    tag: some('pay', 'api'),
    ownedBy: fc.option(some('pay', 'acme')),
    q: words,
  })
  const same = (wanted: readonly string[], value: string | undefined) =>
    wanted.length === 0 || wanted.some((one) => one.toLowerCase() === value?.toLowerCase())
  const owns = (wanted: readonly string[], owner: string | undefined) =>
    wanted.length === 0 ||
    (owner !== undefined &&
      [owner, owner.replace(/^[^:]*:/, ''), owner.replace(/^.*\//, '')].some((form) =>
        wanted.includes(form),
      ))

  fc.assert(
    fc.property(entities, filter, (list, wanted) => {
      const terms = fold(wanted.q).split(' ').filter(Boolean)
      const rank = (
        name: string,
        {
          title = '',
          description = '',
          tags = [],
          system = '',
          owner = '',
          kind,
          lifecycle,
          type = '',
        }: Draft,
      ) => {
        if (!same(wanted.kind, kind ?? 'Component') || !same(wanted.system, system || undefined))
          return -1
        if (!same(wanted.lifecycle, lifecycle) || !same(wanted.type, type || undefined)) return -1
        if (wanted.tag.length > 0 && !tags.some((tag) => same(wanted.tag, tag))) return -1
        const team = owner.replace(/^group:/, '').replace(/^acme\//, '')
        if (wanted.ownedBy?.includes(team) === false) return -1
        const all = (...fields: string[]) =>
          terms.every((term) => fields.some((field) => fold(field).includes(term)))
        if (all(name)) return 0
        if (all(name, title)) return 1
        return all(name, title, description, ...tags, type, system, owner) ? 2 : -1
      }
      const expected = list
        .filter(({ rest }) => owns(wanted.owner, rest.owner))
        .map(({ name, rest, entity }) => ({
          entity,
          rank: terms.length === 0 ? Math.min(0, rank(name, rest)) : rank(name, rest),
        }))
        .filter(({ rank }) => rank >= 0)
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ entity }) => entity)
      expect(
        select(
          list.map(({ entity }) => entity),
          wanted,
        ),
      ).toStrictEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})
