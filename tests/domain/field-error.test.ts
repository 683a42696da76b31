import { expect, test } from 'bun:test'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { schemaFaults } from '#src/lib/schema/field-error.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const Choice = Type.Enum(letters)
const schema = Compile(
  Type.Object({
    size: Type.Integer({ minimum: 1 }),
    letter: Choice,
    name: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
    inner: Type.Optional(Type.Object({ one: Type.String(), two: Type.Optional(Choice) })),
  }),
)
const faultsOf = (value: unknown) =>
  schemaFaults(schema, value).map(({ path, message }) => `${path}: ${message}`)

const CHOICE = `must be one of ${letters.join(', ')}`

test('nothing, where nothing is wrong', () => {
  expect(faultsOf({ size: 1, letter: 'z', name: 'a', inner: { one: '' } })).toStrictEqual([])
})

test('what is missing, at its own place', () => {
  expect(faultsOf({ inner: {} }).toSorted()).toStrictEqual([
    '/inner/one: is required',
    '/letter: is required',
    '/size: is required',
  ])
})

test('of a choice all that there is, once, and everything beside it', () => {
  expect(faultsOf({ size: 0, letter: 'ä', name: '7', inner: { one: 1, two: 2 } })).toStrictEqual([
    '/size: must be >= 1',
    `/letter: ${CHOICE}`,
    '/name: must match ^[a-z]+$',
    '/inner/one: must be string',
    `/inner/two: ${CHOICE}`,
  ])
})

test('what is no object at all', () => {
  expect(faultsOf(7)).toStrictEqual([': must be object'])
})
