import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as catalog from '#src/lib/domain/catalog/entity.ts'
import { fold } from '#src/lib/domain/catalog/search-text.ts'
import { LIFECYCLES } from './repository.ts'

const readEntity = (document: unknown) => catalog.readEntity(document, LIFECYCLES)

const minimal = { apiVersion: 'portico/v1', kind: 'Component', metadata: { name: 'shop' } }
const withMetadata = (more: object) => ({ ...minimal, metadata: { name: 'shop', ...more } })
const withSpec = (spec: unknown) => ({ ...minimal, spec })
const faultsOf = (document: unknown) =>
  readEntity(document).faults.map(({ severity, code, path }) => [severity, code, path.join('.')])

test('the least that an entity needs', () => {
  expect(readEntity(minimal)).toStrictEqual({
    entity: {
      card: {
        kind: 'Component',
        name: 'shop',
        title: null,
        tags: [],
        type: null,
        lifecycle: null,
        owner: null,
        system: null,
      },
      text: { folded: 'shop\n\n', nameEnd: 4, titleEnd: 5 },
      references: [],
    },
    ref: 'component/shop',
    faults: [],
  })
})

test('everything that is looked at', () => {
  const entity = {
    apiVersion: 'portico/v1',
    kind: 'API',
    metadata: {
      name: 'shop',
      title: 'Der Laden',
      description: 'Sells Things',
      tags: ['Java', 'web'],
      annotations: { 'a/b': 'Value', c: 'd' },
      labels: { ignored: 1 },
    },
    spec: {
      type: 'OpenAPI',
      lifecycle: 'Production',
      owner: 'group:acme/payments',
      system: 'checkout',
      dependsOn: ['x'],
    },
  }
  expect(readEntity(entity)).toStrictEqual({
    entity: {
      card: {
        kind: 'API',
        name: 'shop',
        title: 'Der Laden',
        tags: ['Java', 'web'],
        type: 'OpenAPI',
        lifecycle: 'Production',
        owner: 'group:acme/payments',
        system: 'checkout',
      },
      text: {
        folded:
          'shop\nder laden\nsells things\njava\nweb\nopenapi\ncheckout\ngroup:acme/payments\nvalue\nd',
        nameEnd: 4,
        titleEnd: 14,
      },
      references: [
        { field: 'dependsOn', texts: ['x'] },
        { field: 'system', texts: ['checkout'] },
        { field: 'owner', texts: ['group:acme/payments'] },
      ],
    },
    ref: 'api/shop',
    faults: [],
  })
})

describe('is refused', () => {
  // prettier-ignore
  test.each<[string, unknown, string, string]>([
    ['a list',                   [minimal],                                   'document_not_mapping', ''],
    ['a text',                   'Component',                                 'document_not_mapping', ''],
    ['a number',                 1,                                           'document_not_mapping', ''],
    ['null',                     null,                                        'document_not_mapping', ''],
    ['no apiVersion',            { ...minimal, apiVersion: undefined },       'field_missing', 'apiVersion'],
    ['an empty apiVersion',      { ...minimal, apiVersion: '' },              'field_missing', 'apiVersion'],
    ['apiVersion 1',             { ...minimal, apiVersion: 1 },               'field_invalid', 'apiVersion'],
    ['kind null',                { ...minimal, kind: null },                  'field_missing', 'kind'],
    ['kind as a list',           { ...minimal, kind: ['Component'] },         'field_invalid', 'kind'],
    ['kind with a space',        { ...minimal, kind: 'My Component' },        'field_invalid', 'kind'],
    ['kind with a slash',        { ...minimal, kind: 'a/b' },                 'field_invalid', 'kind'],
    ['kind of 64 letters',       { ...minimal, kind: 'K'.repeat(64) },        'field_invalid', 'kind'],
    ['kind with a digit first',  { ...minimal, kind: '1a' },                  'field_invalid', 'kind'],
    ['no metadata',              { ...minimal, metadata: undefined },         'field_missing', 'metadata'],
    ['metadata null',            { ...minimal, metadata: null },              'field_missing', 'metadata'],
    ['metadata as a list',       { ...minimal, metadata: [] },                'field_invalid', 'metadata'],
    ['metadata as a text',       { ...minimal, metadata: 'name: x' },         'field_invalid', 'metadata'],
    ['no name',                  { ...minimal, metadata: {} },                'field_missing', 'metadata.name'],
    ['an empty name',            withMetadata({ name: '' }),                  'field_missing', 'metadata.name'],
    ['a name that is a number',  withMetadata({ name: 7 }),                   'field_invalid', 'metadata.name'],
    ['a name in capitals',       withMetadata({ name: 'Shop' }),              'field_invalid', 'metadata.name'],
    ['a name that ends in -',    withMetadata({ name: 'shop-' }),             'field_invalid', 'metadata.name'],
    ['a name with a dot',        withMetadata({ name: 'a.b' }),               'field_invalid', 'metadata.name'],
    ['a name with a line end',   withMetadata({ name: 'shop\n' }),            'field_invalid', 'metadata.name'],
    ['a name of 64 letters',     withMetadata({ name: 'x'.repeat(64) }),      'field_invalid', 'metadata.name'],
    ['a title that is a number', withMetadata({ title: 1 }),                  'field_invalid', 'metadata.title'],
    ['a description in a list',  withMetadata({ description: ['x'] }),        'field_invalid', 'metadata.description'],
    ['tags as a text',           withMetadata({ tags: 'a,b' }),               'field_invalid', 'metadata.tags'],
    ['tags with a number',       withMetadata({ tags: ['a', 1] }),            'field_invalid', 'metadata.tags'],
    ['links as a text',          withMetadata({ links: 'https://a.example' }),   'field_invalid', 'metadata.links'],
    ['a link without url',       withMetadata({ links: [{ title: 'a' }] }),      'field_missing', 'metadata.links.0.url'],
    ['a link with a number',     withMetadata({ links: [{ url: 'a', title: 1 }] }), 'field_invalid', 'metadata.links.0.title'],
    ['dependsOn as a text',      withSpec({ dependsOn: 'resource:a' }),          'field_invalid', 'spec.dependsOn'],
    ['tags as a mapping',        withMetadata({ tags: { a: 'b' } }),          'field_invalid', 'metadata.tags'],
    ['annotations as a list',    withMetadata({ annotations: [] }),           'field_invalid', 'metadata.annotations'],
    ['spec as a list',           withSpec([]),                                'field_invalid', 'spec'],
    ['spec as a text',           withSpec('x'),                               'field_invalid', 'spec'],
    ['type as a number',         withSpec({ type: 1 }),                       'field_invalid', 'spec.type'],
    ['lifecycle as a mapping',   withSpec({ lifecycle: {} }),                 'field_invalid', 'spec.lifecycle'],
    ['owner as a list',          withSpec({ owner: ['a'] }),                  'field_invalid', 'spec.owner'],
    ['system false',             withSpec({ system: false }),                 'field_invalid', 'spec.system'],
  ])('%s', (_, document, code, at) => {
    expect(readEntity(document).entity).toBeNull()
    expect(faultsOf(document)).toStrictEqual([['error', code, at]])
  })

  test('with all its faults at once', () => {
    expect(faultsOf({ kind: 'a b', metadata: { tags: 1 }, spec: { owner: 1 } })).toStrictEqual([
      ['error', 'field_missing', 'apiVersion'],
      ['error', 'field_missing', 'metadata.name'],
      ['error', 'field_invalid', 'kind'],
      ['error', 'field_invalid', 'metadata.tags'],
      ['error', 'field_invalid', 'spec.owner'],
    ])
  })
})

describe('is served with a warning', () => {
  // prettier-ignore
  test.each([
    ['an unknown lifecycle',  { lifecycle: 'beta' },           'lifecycle_unknown',   'spec.lifecycle'],
    ['an empty lifecycle',    { lifecycle: '' },               'lifecycle_unknown',   'spec.lifecycle'],
    ['an empty owner',        { owner: '' },                   'owner_unrecognised',  'spec.owner'],
    ['an owner with a space', { owner: 'the team' },           'owner_unrecognised',  'spec.owner'],
    ['an owner of a user',    { owner: 'user:ann' },           'owner_unrecognised',  'spec.owner'],
    ['an owner too deep',     { owner: 'group:a/b/c' },        'owner_unrecognised',  'spec.owner'],
  ])('%s', (_, spec, code, at) => {
    expect(readEntity(withSpec(spec)).entity?.card).toMatchObject(spec)
    expect(faultsOf(withSpec(spec))).toStrictEqual([['warning', code, at]])
  })
})

test.each([[true], [null], [5], [['a']], [{ a: 1 }]])(
  'an annotation that is %p is served with a warning',
  (value) => {
    const document = withMetadata({ annotations: { a: 'b', 'c/d': value } })
    expect(readEntity(document).entity?.text.folded).toBe('shop\n\nb')
    expect(faultsOf(document)).toStrictEqual([
      ['warning', 'field_invalid', 'metadata.annotations.c/d'],
    ])
  },
)

test('a lifecycle is known when it is in the list that the reader is given, in any case', () => {
  const { faults } = catalog.readEntity(withSpec({ lifecycle: 'Production' }), ['live'])
  expect(faults.map(({ message }) => message)).toStrictEqual([
    'spec.lifecycle should be one of live',
  ])
  expect(catalog.readEntity(withSpec({ lifecycle: 'Live' }), ['live']).faults).toStrictEqual([])
})

describe('is served without a word', () => {
  // prettier-ignore
  test.each<[string, unknown]>([
    ['null for what is optional',   { ...withMetadata({ title: null, tags: null, annotations: null }), spec: null }],
    ['empty texts and lists',       withMetadata({ title: '', description: '', tags: [], annotations: {} })],
    ['owner with group and org',    withSpec({ owner: 'group:acme/payments' })],
    ['owner without group',         withSpec({ owner: 'acme/payments' })],
    ['owner alone',                 withSpec({ owner: 'payments' })],
    ['lifecycle in capitals',       withSpec({ lifecycle: 'STAGING' })],
    ['what is not looked at',       { ...withMetadata({ labels: [1], extra: {} }), status: 1 }],
    ['a name of 63 letters',        withMetadata({ name: 'x'.repeat(63) })],
    ['names of Object.prototype',   withMetadata({ annotations: { constructor: 'a', toString: 'b' } })],
  ])('%s', (_, document) => {
    expect(readEntity(document).entity).not.toBeNull()
    expect(faultsOf(document)).toStrictEqual([])
  })
})

test('what an object inherits is not in the file', () => {
  const inherited = JSON.parse(
    '{"__proto__":{"apiVersion":"a","kind":"Component","metadata":{"name":"x"}}}',
  ) as unknown
  const assigned = Object.create({ apiVersion: 'a', kind: 'A', metadata: { name: 'x' } }) as unknown
  const missing = [
    ['error', 'field_missing', 'apiVersion'],
    ['error', 'field_missing', 'kind'],
    ['error', 'field_missing', 'metadata'],
  ]
  expect(faultsOf(inherited)).toStrictEqual(missing)
  expect(faultsOf(assigned)).toStrictEqual(missing)
})

describe('the reference', () => {
  // prettier-ignore
  test.each<[string, unknown, string | null]>([
    ['is there in spite of other faults', { ...minimal, spec: [] },         'component/shop'],
    ['is not made of a bad kind',         { ...minimal, kind: 'p w' },      null],
    ['is not made of a bad name',         withMetadata({ name: '../../x' }), null],
    ['is not made of half of it',         { ...minimal, kind: undefined },  null],
  ])('%s', (_, document, ref) => {
    expect(readEntity(document).ref).toBe(ref)
  })
})

test('a message is short, however long a name of the file is', () => {
  const { faults } = readEntity(withMetadata({ annotations: { ['n'.repeat(10_000)]: 1 } }))
  expect(faults[0]?.message.length).toBeWithin(200, 300)
})

describe('fold', () => {
  // prettier-ignore
  test.each([
    ['ASCII',                'Payments API 2',        'payments api 2'],
    ['diacritics',           'Crème Brûlée',          'creme brulee'],
    ['decomposed alike',     'Cre\u0300me',           'creme'],
    ['ligatures',            'ﬁle ﬀ',                 'file ff'],
    ['full width',           'ＡＰＩ１',               'api1'],
    ['Turkish capital I',    'İstanbul',              'istanbul'],
    ['Turkish small i',      'ısı',                   'ısı'],
    ['sharp s',              'STRAẞE',                'straße'],
    ['final sigma',          'ΟΔΟΣ',                  'οδοσ'],
    ['Kelvin',               '\u212A',                'k'],
    ['superscripts',         'm²',                    'm2'],
    ['no-break space',       'a\u00A0b',              'a b'],
    ['Vietnamese',           'Đà Nẵng',               'đa nang'],
    ['a lone surrogate',     'a\ud800B',              'a\ud800b'],
    ['nothing',              '',                      ''],
  ])('%s', (_, text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  test('twice is once, and a part folds to a part', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    fc.assert(
      fc.property(text, text, text, (before, part, behind) => {
        expect(fold(fold(part))).toBe(fold(part))
        expect(fold(`${before} ${part} ${behind}`)).toContain(fold(part))
      }),
      { numRuns: 2_000 },
    )
  })
})

test('whatever a document is, reading it ends with a card or with an error', () => {
  const field = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('a', 'Component', 'x-1'))
  const record = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, field])), { requiredKeys: [] })
  const document = fc.record(
    {
      apiVersion: field,
      kind: field,
      metadata: fc.oneof(field, record('name', 'title', 'description', 'tags', 'annotations')),
      spec: fc.oneof(field, record('type', 'lifecycle', 'owner', 'system')),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(document, field), (value) => {
      const { entity, faults } = readEntity(value)
      expect(entity === null).toBe(faults.some(({ severity }) => severity === 'error'))
    }),
    { numRuns: 2_000 },
  )
})
