import { describe, expect, test } from 'bun:test'
import { readParameters } from '#src/lib/domain/scaffold/parameters/read.ts'
import { resolveParameters } from '#src/lib/domain/scaffold/parameters/resolve.ts'
import type {
  ParameterSchema,
  ParametersSchema,
} from '#src/lib/domain/scaffold/parameters/schema.ts'

const one = (size: ParameterSchema, required = ['size']) => ({ properties: { size }, required })

async function resolve(
  schema: Omit<ParametersSchema, 'type'>,
  given: Readonly<Record<string, unknown>>,
) {
  const parameters = await readParameters({ type: 'object', ...schema })
  if (!parameters.ok) throw new Error(JSON.stringify(parameters.error))
  return resolveParameters(parameters.value, given)
}

describe('values', () => {
  test('are those of the request, else the defaults, else empty', async () => {
    const { values, faults } = await resolve(
      {
        properties: {
          port: { type: 'integer', default: 8080 },
          public: { type: 'boolean', default: false },
          share: { type: 'number', default: 0.5 },
          size: { enum: ['small', 'large'], default: 'small' },
          note: { type: 'string', minLength: 3 },
          owner: { type: 'string', default: 'acme' },
        },
        required: ['owner'],
      },
      { port: 0, public: true },
    )
    expect(faults).toStrictEqual([])
    expect(values).toStrictEqual({
      port: 0,
      public: true,
      share: 0.5,
      size: 'small',
      note: '',
      owner: 'acme',
    })
  })

  test.each<readonly [string, ParameterSchema, unknown, string, string]>([
    ['a number for a text', { type: 'string' }, 8, 'type', 'must be text'],
    ['a list', { type: 'string' }, ['a'], 'type', 'must be text'],
    ['nothing', { type: 'string' }, null, 'type', 'must be text'],
    ['a text for a number', { type: 'integer', default: 1 }, '8', 'type', 'must be a whole number'],
    ['a fraction', { type: 'integer', default: 1 }, 8.5, 'type', 'must be a whole number'],
    [
      'too large a number',
      { type: 'integer', default: 1 },
      2 ** 53,
      'type',
      'must be a whole number',
    ],
    [
      'a text for a flag',
      { type: 'boolean', default: true },
      'true',
      'type',
      'must be true or false',
    ],
    ['another choice', { enum: ['s', 'm'] }, 'xl', 'one_of', 'must be one of s, m'],
    [
      'a choice of another type',
      { enum: [1, 2], default: 1 },
      '1',
      'type',
      'must be a whole number',
    ],
    [
      'two lines',
      { type: 'string' },
      'a\nb',
      'one_line',
      'one line of text, without control characters or marks that change its direction',
    ],
    [
      'a line separator',
      { type: 'string' },
      'a\u2028b',
      'one_line',
      'one line of text, without control characters or marks that change its direction',
    ],
    [
      'a mark that turns the text after it',
      { type: 'string' },
      'a\u202eb',
      'one_line',
      'one line of text, without control characters or marks that change its direction',
    ],
    [
      'half a character',
      { type: 'string' },
      'a\ud800',
      'one_line',
      'one line of text, without control characters or marks that change its direction',
    ],
    [
      'too long a text',
      { type: 'string' },
      'x'.repeat(201),
      'max_length',
      'must have at most 200 characters',
    ],
    [
      'long combined characters',
      { type: 'string', maxLength: 5 },
      `e${'\u0301'.repeat(5)}`,
      'max_length',
      'must have at most 5 characters',
    ],
    [
      'a text of megabytes',
      { type: 'string' },
      'x'.repeat(1 << 20),
      'max_length',
      'must have at most 200 characters',
    ],
    [
      'too short a text',
      { type: 'string', minLength: 1 },
      '',
      'min_length',
      'must have at least 1 character',
    ],
    ['too little', { type: 'integer', default: 5, minimum: 5 }, 4, 'minimum', 'must be at least 5'],
    [
      'as little',
      { type: 'number', default: 6, exclusiveMinimum: 5 },
      5,
      'minimum',
      'must be more than 5',
    ],
    ['too much', { type: 'integer', default: 5, maximum: 5 }, 6, 'maximum', 'must be at most 5'],
    [
      'as much',
      { type: 'number', default: 4, exclusiveMaximum: 5 },
      5,
      'maximum',
      'must be less than 5',
    ],
    [
      'between multiples',
      { type: 'integer', default: 4, multipleOf: 4 },
      6,
      'multiple_of',
      'must be a multiple of 4',
    ],
    [
      'another form, with an example',
      { type: 'string', pattern: '^[A-Z]{2}$', examples: ['DE'] },
      'de',
      'pattern',
      'must have the form that the template asks for, such as DE',
    ],
    [
      'another form, with a default',
      { type: 'string', pattern: '^[A-Z]{2}$', default: 'DE' },
      'DEU',
      'pattern',
      'must have the form that the template asks for, such as DE',
    ],
    [
      'another form, with a description',
      { type: 'string', pattern: '^[A-Z]{2}$', description: 'Two capitals' },
      'D',
      'pattern',
      'must have the form that the template asks for: Two capitals',
    ],
    [
      'another form',
      { type: 'string', pattern: '^[A-Z]{2}$' },
      'D',
      'pattern',
      'must have the form that the template asks for',
    ],
  ])('%s: refused', async (_, schema, value, rule, message) => {
    const { faults } = await resolve(one(schema), { size: value })
    expect(faults.map((fault) => [fault.path, fault.rule, fault.message])).toStrictEqual([
      ['/parameters/size', rule, message],
    ])
  })

  test.each<readonly [string, ParameterSchema, unknown]>([
    ['200 characters outside of the first plane', { type: 'string' }, '😀'.repeat(200)],
    ['quotes and braces', { type: 'string' }, '"\'`${{}}\\'],
    ['a pattern found in the middle', { type: 'string', pattern: '[0-9]' }, 'a1b'],
    ['a multiple', { type: 'integer', default: 0, multipleOf: 4 }, -8],
  ])('%s: accepted', async (_, schema, value) => {
    expect(await resolve(one(schema), { size: value })).toStrictEqual({
      values: { size: value as string },
      faults: [],
    })
  })

  test('that are missing or unknown are named, all at once', async () => {
    const given = JSON.parse('{"sise":1,"constructor":2,"__proto__":3,"a b":4,"c d":5}') as object
    const { faults } = await resolve(one({ type: 'boolean' }), { ...given })
    const message = 'is not a parameter of this template, which has size'
    expect(faults).toStrictEqual([
      { path: '/parameters/size', rule: 'required', message: 'is required' },
      { path: '/parameters/sise', rule: 'unknown', message },
      { path: '/parameters/constructor', rule: 'unknown', message },
      { path: '/parameters', rule: 'unknown', message },
    ])
    const none = resolveParameters(undefined, { port: 1 })
    expect(none.faults.map((fault) => fault.message)).toStrictEqual([
      'is not a parameter of this template, which has none',
    ])
  })

  test('that are unknown are named a hundred at most', async () => {
    const given = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`a${index}`, 1]))
    const { faults } = await resolve(one({ type: 'string' }, []), given)
    expect(faults).toHaveLength(100)
  })

  test('named like members of every object are values like others', async () => {
    const schema = { properties: { constructor: { type: 'string', default: 'x' } as const } }
    expect(await resolve(schema, {})).toStrictEqual({
      values: { constructor: 'x' },
      faults: [],
    })
  })

  test('are matched in linear time, by patterns that a backtracking engine never ends with', async () => {
    for (const pattern of ['^(a+)+$', '(a|aa)+$', '(.*)*b$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      const { faults } = await resolve(one({ type: 'string', pattern }), {
        size: `${'a'.repeat(199)}!`,
      })
      expect(faults).toMatchObject([{ rule: 'pattern' }])
    }
  })
})
