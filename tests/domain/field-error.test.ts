import { expect, test } from 'bun:test'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Ruled } from '#src/lib/schema/ruled.ts'
import { schemaFaults } from '#src/lib/schema/field-error.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const Choice = Type.Enum(letters)
const schema = Compile(
  Type.Object({
    size: Type.Integer({ minimum: 1 }),
    letter: Choice,
    name: Type.Optional(Ruled('name', '^[a-z]+$')),
    other: Type.Optional(Type.String({ pattern: '^[a-z]+$', maxLength: 1 })),
    inner: Type.Optional(Type.Object({ one: Type.String(), two: Type.Optional(Choice) })),
  }),
)
const faultsOf = (value: unknown) =>
  schemaFaults(schema, value).map(({ path, rule, message }) => `${path} ${rule}: ${message}`)

const CHOICE = `must be one of ${letters.join(', ')}`

test('nothing, where nothing is wrong', () => {
  expect(faultsOf({ size: 1, letter: 'z', name: 'a', inner: { one: '' } })).toStrictEqual([])
})

test('what is missing, at its own place', () => {
  expect(faultsOf({ inner: {} }).toSorted()).toStrictEqual([
    '/inner/one required: is required',
    '/letter required: is required',
    '/size required: is required',
  ])
})

test('of a choice all that there is, once, and everything beside it', () => {
  expect(
    faultsOf({ size: 0, letter: 'ä', name: '7', other: '77', inner: { one: 1, two: 2 } }),
  ).toStrictEqual([
    '/size minimum: must be at least 1',
    `/letter one_of: ${CHOICE}`,
    '/name name: lower-case letters, digits and dashes, such as payments-api',
    '/other max_length: must have at most 1 character',
    '/other invalid: is not valid',
    '/inner/one type: must be text',
    `/inner/two one_of: ${CHOICE}`,
  ])
})

test('what is no object at all', () => {
  expect(faultsOf(7)).toStrictEqual([' type: must be an object'])
})
