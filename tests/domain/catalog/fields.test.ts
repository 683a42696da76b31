import { expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { onlyFields, unknownFields } from '#src/lib/domain/catalog/fields.ts'

const JSON_TEXT =
  '{"kind":"API","metadata":{"name":"é","tags":["a"],"annotations":{"a.b/c":"1","a":{"b/c":2,"d":3}}},' +
  '"spec":{"owner":null,"type":""},"__proto__":{"polluted":1},"list":[{"a":1}]}'
const part = async (json: string, ...fields: string[]) => {
  const [only] = await onlyFields([{ json, jsonBytes: Buffer.byteLength(json) }], fields)
  expect(only?.jsonBytes).toBe(Buffer.byteLength(only?.json ?? ''))
  return only?.json
}

// prettier-ignore
test.each<[string[], string]>([
  [['kind'],                                 '{"kind":"API"}'],
  [['metadata.name'],                        '{"metadata":{"name":"é"}}'],
  [['spec.owner', 'kind', 'metadata.name'],  '{"kind":"API","metadata":{"name":"é"},"spec":{"owner":null}}'],
  [['metadata.name', 'metadata.tags'],       '{"metadata":{"name":"é","tags":["a"]}}'],
  [['spec', 'spec.type'],                    '{"spec":{"owner":null,"type":""}}'],
  [['spec.type', 'spec'],                    '{"spec":{"owner":null,"type":""}}'],
  [['metadata.annotations.a.b/c'],           '{"metadata":{"annotations":{"a.b/c":"1","a":{"b/c":2}}}}'],
  [['metadata.annotations.a.d'],             '{"metadata":{"annotations":{"a":{"d":3}}}}'],
  [['__proto__'],                            '{"__proto__":{"polluted":1}}'],
  [['__proto__.polluted'],                   '{"__proto__":{"polluted":1}}'],
  [['list'],                                 '{"list":[{"a":1}]}'],
  [['list.0.a', 'list.length'],              '{}'],
  [['constructor', 'toString', 'nothing'],   '{}'],
  [['spec.system', 'metadata.name.length'],  '{}'],
  [['.', '..', 'kind.', '.kind', 'Kind'],    '{}'],
])('%j', async (fields, json) => {
  expect(await part(JSON_TEXT, ...fields)).toBe(json)
  expect('polluted' in {}).toBe(false)
})

test('a field is known when one entity has it', async () => {
  const entities = ['{"spec":{"a":"owner\\":"}}', JSON_TEXT, '{"spec":{"a.\\"b":1}}'].map(
    (json) => ({
      json,
      jsonBytes: 0,
    }),
  )
  const fields = [
    'spec.owner',
    'metadata.annotations.a.b/c',
    'spec.a."b',
    'spec',
    'spec.tags',
    'owner',
    '__proto__.x',
  ]
  expect(await unknownFields(entities, fields)).toStrictEqual(['spec.tags', 'owner', '__proto__.x'])
  expect(await unknownFields([], ['kind'])).toStrictEqual(['kind'])
})

test('an entity is parsed once, however many fields nobody has', async () => {
  const fields = Array.from({ length: 50 }, (_, index) => `other${index}.name`)
  using parse = spyOn(JSON, 'parse')
  const entity = { json: JSON_TEXT, jsonBytes: 0 }
  expect(await unknownFields([entity, entity], fields)).toStrictEqual(fields)
  expect(parse).toHaveBeenCalledTimes(2)
})

test('who asks for no such field does not wait for others who do', async () => {
  const entities = Array.from({ length: 1_000 }, () => ({ json: JSON_TEXT, jsonBytes: 0 }))
  const others = unknownFields(entities, ['other.name']).then(() => 'others')
  const own = unknownFields(entities, []).then(() => 'own')
  expect(await Promise.race([others, own])).toBe('own')
  await others
})

test('all keys of an object together are the object', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const json = JSON.stringify(value)
      expect(await part(json, ...Object.keys(value))).toBe(json)
    }),
  )
})
