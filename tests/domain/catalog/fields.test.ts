import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { onlyFields } from '#src/lib/domain/catalog/fields.ts'

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

test('all keys of an object together are the object', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const json = JSON.stringify(value)
      expect(await part(json, ...Object.keys(value))).toBe(json)
    }),
  )
})
