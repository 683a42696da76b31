import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { packFiles } from '#src/lib/domain/catalog/packed-files.ts'
import { unpackFiles } from '#src/lib/domain/catalog/unpack-files.ts'
import { parse } from './repository.ts'

const entity = (name: string, title: string) =>
  `apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: ${name}\n  title: ${JSON.stringify(title)}\nspec:\n  type: service\n  lifecycle: odd\n`
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/)
const document = fc
  .tuple(name, fc.string({ unit: 'grapheme' }))
  .map(([of, title]) => entity(of, title))
const file = fc
  .array(fc.oneof(document, fc.constantFrom('', 'a: [', 'kind: X', 'é: 1')), { maxLength: 4 })
  .map((documents) => parse(new TextEncoder().encode(documents.join('\n---\n'))))
const files = fc.array(file, { maxLength: 5 })

test('what was packed is unpacked as it was', () => {
  fc.assert(
    fc.property(files, (parsed) => {
      const { text, bytes } = packFiles(parsed)
      expect(unpackFiles(text, bytes)).toStrictEqual([...parsed])
    }),
  )
})

test('what is cut off, or longer, or something else is nothing', () => {
  const parsed = [parse(new TextEncoder().encode(entity('shop', 'Shop')))]
  const { text, bytes } = packFiles(parsed)
  expect(unpackFiles(text, bytes)).toStrictEqual(parsed)
  for (const [spoken, given] of [
    [text, bytes.subarray(1)],
    [text, new Uint8Array(bytes.length + 1)],
    [text.replace('"jsonBytes":', '"jsonBytes":-'), bytes],
    [text.replace('"card"', '"cart"'), bytes],
    [text.slice(1), bytes],
    ['{}', bytes],
  ] as const) {
    expect(unpackFiles(spoken, given)).toBeUndefined()
  }
})
