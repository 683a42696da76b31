import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { loadSnapshot } from '#src/lib/domain/catalog/load.ts'
import { targetOf } from '#src/lib/domain/catalog/reference.ts'
import { relationsIn, relationTypes } from '#src/lib/domain/catalog/relations.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { value } from '#tests/contracts/git-host.ts'
import { weightOf } from '#src/lib/domain/catalog/weight.ts'
import { createRepository, type Files, parse, sourceOf } from './repository.ts'

type Spec = Readonly<Record<string, string | readonly string[]>>

const entity = (kind: string, name: string, spec: Spec = {}) =>
  `apiVersion: a\nkind: ${kind}\nmetadata: {name: ${name}, title: The ${name}}\nspec: ${JSON.stringify(spec)}\n`
const fileOf = (...documents: readonly string[]): Files => ({
  'catalog/a.yaml': documents.join('---\n'),
})
const snapshotOf = async (files: Files): Promise<Snapshot> =>
  value(await loadSnapshot(sourceOf(createRepository(files)), undefined))

/** Each relation as a line: type, reference, and the key of its target. */
async function relationsOf(snapshot: Snapshot, ref: string): Promise<readonly string[]> {
  const of = snapshot.byRef.get(ref)
  if (of === undefined) throw new Error(`no ${ref}`)
  const relations = await (await relationsIn(snapshot)).of(of)
  return relations.map(({ type, ref, target }) => `${type} ${ref} ${target?.ref ?? 'null'}`)
}

const problemsOf = async (files: Files) =>
  (await relationsIn(await snapshotOf(files))).problems.map(
    ({ code, path, line, column, ref, message }) => [
      code,
      `${path}:${line}:${column}`,
      ref,
      message,
    ],
  )

test('every field is a relation of both entities, with the title of the other', async () => {
  const snapshot = await snapshotOf(
    fileOf(
      entity('Component', 'shop', {
        dependsOn: ['resource:shop-db', 'mailer'],
        providesApis: ['shop-http'],
        consumesApis: ['api:default/mail-http'],
        system: 'selling',
        owner: 'group:acme/payments',
      }),
      entity('Component', 'mailer', { providesApis: ['mail-http'] }),
      entity('Resource', 'shop-db', { owner: 'payments' }),
      entity('API', 'shop-http', { system: 'selling' }),
      entity('API', 'mail-http'),
      entity('System', 'selling', { domain: 'commerce' }),
      entity('Domain', 'commerce', { domain: 'not-a-field-of-a-domain' }),
      entity('Group', 'payments'),
    ),
  )
  expect(await relationsOf(snapshot, 'component/shop')).toStrictEqual([
    'dependsOn resource:shop-db resource/shop-db',
    'dependsOn mailer component/mailer',
    'providesApi shop-http api/shop-http',
    'consumesApi api:default/mail-http api/mail-http',
    'partOf selling system/selling',
    'ownedBy group:acme/payments group/payments',
  ])
  expect(await relationsOf(snapshot, 'api/mail-http')).toStrictEqual([
    'apiProvidedBy component:mailer component/mailer',
    'apiConsumedBy component:shop component/shop',
  ])
  expect(await relationsOf(snapshot, 'resource/shop-db')).toStrictEqual([
    'dependencyOf component:shop component/shop',
    'ownedBy payments group/payments',
  ])
  expect(await relationsOf(snapshot, 'system/selling')).toStrictEqual([
    'partOf commerce domain/commerce',
    'hasPart api:shop-http api/shop-http',
    'hasPart component:shop component/shop',
  ])
  expect(await relationsOf(snapshot, 'domain/commerce')).toStrictEqual([
    'hasPart system:selling system/selling',
  ])
  expect(await relationsOf(snapshot, 'group/payments')).toStrictEqual([
    'ownerOf component:shop component/shop',
    'ownerOf resource:shop-db resource/shop-db',
  ])
  expect((await relationsIn(snapshot)).problems).toStrictEqual([])
})

describe('a reference', () => {
  // prettier-ignore
  test.each([
    ['resource:shop-db',           'resource/shop-db'],
    ['Resource:SHOP-DB',           'resource/shop-db'],
    ['resource:default/shop-db',   'resource/shop-db'],
    ['default/shop-db',            'component/shop-db'],
    ['shop-db',                    'component/shop-db'],
    ['',                           undefined],
    [' ',                          undefined],
    ['resource:',                  undefined],
    [':shop-db',                   undefined],
    ['resource:/shop-db',          undefined],
    ['resource:a/b/shop-db',       undefined],
    ['a:b:c',                      undefined],
    ['re source:shop-db',          undefined],
    ['resource:shop_db',           undefined],
    ['resource:-shop',             undefined],
    ['resource:shop-db\n',        undefined],
    [`resource:${'x'.repeat(63)}`, `resource/${'x'.repeat(63)}`],
    [`resource:${'x'.repeat(64)}`, undefined],
    ['__proto__',                  undefined],
    ['constructor:constructor',    'constructor/constructor'],
  ])('%j names %p', (text, target) => {
    expect(targetOf({ field: 'dependsOn', text })).toBe(target)
  })

  test('without a kind has that of its field', () => {
    const fields = [
      'dependsOn',
      'providesApis',
      'consumesApis',
      'system',
      'domain',
      'owner',
    ] as const
    expect(fields.map((field) => targetOf({ field, text: 'x' }))).toStrictEqual([
      'component/x',
      'api/x',
      'api/x',
      'system/x',
      'domain/x',
      'group/x',
    ])
  })

  test('takes linear time, whatever it is', () => {
    const text = `${'a'.repeat(30_000)}${'-'.repeat(30_000)}:`.repeat(4)
    expect(targetOf({ field: 'owner', text })).toBeUndefined()
  })
})

describe('a reference to nothing', () => {
  test('has no target, and is a problem at its place', async () => {
    const files = {
      'catalog/a.yaml': entity('Component', 'a', {}).replace(
        'spec: {}',
        'spec:\n  dependsOn:\n    - component:b\n    - "resource:gone"\n    - not a name',
      ),
      'catalog/b.yaml': 'kind: [broken\n',
    }
    expect(await relationsOf(await snapshotOf(files), 'component/a')).toStrictEqual([
      'dependsOn component:b null',
      'dependsOn resource:gone null',
      'dependsOn not a name null',
    ])
    expect(await problemsOf(files)).toStrictEqual([
      [
        'relation_broken',
        'catalog/a.yaml:6:7',
        'component/a',
        'spec.dependsOn names component/b, which the catalog does not have',
      ],
      [
        'relation_broken',
        'catalog/a.yaml:7:7',
        'component/a',
        'spec.dependsOn names resource/gone, which the catalog does not have',
      ],
      [
        'relation_broken',
        'catalog/a.yaml:8:7',
        'component/a',
        'spec.dependsOn must name an entity, such as resource:payments-db',
      ],
      ['yaml_syntax', 'catalog/b.yaml:2:1', null, expect.any(String)],
    ])
  })

  test('of a label is a problem only where the catalog describes that kind', async () => {
    const labelled = entity('Component', 'a', { owner: 'group:acme/gone', system: 'Old Things' })
    expect(await problemsOf(fileOf(labelled))).toStrictEqual([])
    const described = await problemsOf(
      fileOf(labelled, entity('Group', 'payments'), entity('System', 'selling')),
    )
    expect(described.map(([, , , message]) => message)).toStrictEqual([
      'spec.system must name an entity, such as checkout',
      'spec.owner names group/gone, which the catalog does not have',
    ])
  })

  test('from an alias is at the alias', async () => {
    const text = entity('Component', 'a').replace(
      'spec: {}',
      'x: &gone [resource:gone]\nspec:\n  dependsOn: *gone',
    )
    expect((await problemsOf({ 'catalog/a.yaml': text })).map(([, at]) => at)).toStrictEqual([
      'catalog/a.yaml:6:14',
    ])
  })

  test('is named twenty times in a file, and then counted', async () => {
    const gone = Array.from({ length: 50 }, (_, index) => `resource:gone-${index}`)
    const problems = await problemsOf(fileOf(entity('Component', 'a', { dependsOn: gone })))
    expect(problems).toHaveLength(21)
    expect(problems[0]).toStrictEqual([
      'relation_broken',
      'catalog/a.yaml:null:null',
      null,
      '30 more references of this file name no entity',
    ])
  })

  test('is no problem while files are still to be read', async () => {
    const snapshot = await snapshotOf(fileOf(entity('Component', 'a', { dependsOn: ['b'] })))
    const pending = {
      ...snapshot,
      entities: [...snapshot.entities],
      leftOut: new Map([...snapshot.files.keys()].map((path) => [path, 'file_pending'] as const)),
    }
    expect((await relationsIn(snapshot)).problems).toHaveLength(1)
    expect((await relationsIn(pending)).problems).toStrictEqual([])
  })
})

test('a relation to itself is there both ways, and a problem; a group may own itself', async () => {
  const files = fileOf(
    entity('Component', 'a', { dependsOn: ['a', 'component:A', 'default/a'] }),
    entity('Group', 'payments', { owner: 'payments' }),
  )
  const snapshot = await snapshotOf(files)
  expect(await relationsOf(snapshot, 'component/a')).toStrictEqual([
    'dependsOn a component/a',
    'dependencyOf component:a component/a',
  ])
  expect(await relationsOf(snapshot, 'group/payments')).toStrictEqual([
    'ownedBy payments group/payments',
    'ownerOf group:payments group/payments',
  ])
  expect(await problemsOf(files)).toStrictEqual([
    [
      'relation_to_itself',
      'catalog/a.yaml:4:21',
      'component/a',
      'spec.dependsOn names the entity itself',
    ],
  ])
})

test('a cycle is two relations of each', async () => {
  const snapshot = await snapshotOf(
    fileOf(
      entity('Component', 'a', { dependsOn: ['b'] }),
      entity('Component', 'b', { dependsOn: ['a'] }),
    ),
  )
  expect(await relationsOf(snapshot, 'component/a')).toStrictEqual([
    'dependsOn b component/b',
    'dependencyOf component:b component/b',
  ])
  expect((await relationsIn(snapshot)).problems).toStrictEqual([])
})

test('a file takes the room of its references, however short they are', () => {
  const references = Array.from({ length: 10_000 }, (_, index) => `c${index}`)
  const weight = (spec: Spec) =>
    weightOf(parse(new TextEncoder().encode(entity('Component', 'a', spec))))
  const more = weight({ dependsOn: references }) - weight({ description: references })
  expect(more).toBeGreaterThan(10_000 * 100)
})

test('a duplicate that is not served states nothing', async () => {
  const snapshot = await snapshotOf({
    'catalog/a.yaml': entity('Component', 'a'),
    'catalog/b.yaml':
      entity('Component', 'a', { dependsOn: ['b'] }) + '---\n' + entity('Component', 'b'),
  })
  expect(await relationsOf(snapshot, 'component/b')).toStrictEqual([])
})

test('relations are collected once for a snapshot, and anew for the next', async () => {
  const snapshot = await snapshotOf(fileOf(entity('Component', 'a')))
  expect(relationsIn({ ...snapshot })).toBe(relationsIn(snapshot))
  expect(relationsIn({ ...snapshot, entities: [...snapshot.entities] })).not.toBe(
    relationsIn(snapshot),
  )
})

test('in any catalog each relation has its inverse, and no other is there', async () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const text = fc.constantFrom(
    'a',
    'b',
    'api:b',
    'API:c',
    'x/a',
    'component:c',
    'group:a',
    'gone',
    '?',
  )
  const list = fc.array(text, { maxLength: 4 })
  const spec = fc.record(
    {
      dependsOn: list,
      providesApis: list,
      consumesApis: list,
      system: text,
      owner: text,
      domain: text,
    },
    { requiredKeys: [] },
  )
  const drafts = fc.array(
    fc.tuple(fc.constantFrom('Component', 'API', 'System', 'Group'), name, spec),
    { maxLength: 8 },
  )
  const inverseOf = new Map<string, string>()
  for (let at = 0; at < relationTypes.length; at += 2) {
    const [one = '', other = ''] = relationTypes.slice(at, at + 2)
    inverseOf.set(one, other).set(other, one)
  }
  await fc.assert(
    fc.asyncProperty(drafts, async (all) => {
      const snapshot = await snapshotOf(fileOf(...all.map((draft) => entity(...draft))))
      const relations = await relationsIn(snapshot)
      const edges = new Set<string>()
      for (const source of snapshot.entities) {
        for (const { type, ref, target } of await relations.of(source)) {
          const edge = `${source.ref} ${type} ${target?.ref ?? ref}`
          if (target !== null) expect(edges).not.toContain(edge)
          edges.add(edge)
        }
      }
      for (const edge of edges) {
        const [source, type = '', target = ''] = edge.split(' ')
        if (snapshot.byRef.has(target))
          expect(edges).toContain(`${target} ${inverseOf.get(type)} ${source}`)
      }
    }),
    { numRuns: 200 },
  )
})
