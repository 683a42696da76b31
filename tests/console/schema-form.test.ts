import { describe, expect, test } from 'bun:test'
import { TEXT_VALUE_MAX } from '#src/lib/domain/scaffold/parameters/schema.ts'
import { readParameters } from '#src/lib/domain/scaffold/parameters/read.ts'
import { resolveParameters } from '#src/lib/domain/scaffold/parameters/resolve.ts'
import {
  fieldsOf,
  labelOf,
  parametersOf,
  type ParameterSchema,
  type ParameterValue,
} from '#src/console/ui/schema-form.ts'

const field = (schema: ParameterSchema, required: string[] = []) =>
  fieldsOf({ properties: { it: schema }, required })[0]
const valueFor = (schema: ParameterSchema, text: string, required: string[] = []) =>
  parametersOf({ properties: { it: schema }, required }, { it: text })['it']

test('a field has the words of its schema, and a label from its name without a title', () => {
  const schema = {
    properties: {
      port: { type: 'integer', title: 'Port', description: 'Of the service', default: 8080 },
      ciOwners: { type: 'string', examples: ['@acme/shop', '@acme/x'] },
    },
    required: ['ciOwners'],
  } as const
  expect(fieldsOf(schema)).toStrictEqual([
    {
      path: '/parameters/port',
      control: 'number',
      label: 'Port',
      help: 'Of the service',
      placeholder: undefined,
      maxLength: undefined,
      isRequired: false,
      initial: '8080',
      options: [],
    },
    {
      path: '/parameters/ciOwners',
      control: 'text',
      label: 'Ci owners',
      help: undefined,
      placeholder: '@acme/shop',
      maxLength: TEXT_VALUE_MAX,
      isRequired: true,
      initial: '',
      options: [],
    },
  ])
})

test.each([
  ['databaseSize', 'Database size'],
  ['database-size', 'Database size'],
  ['use_tls', 'Use tls'],
  ['ownerID', 'OwnerID'],
  ['x', 'X'],
])('the label of %s is %s', (name, label) => {
  expect(labelOf(name)).toBe(label)
})

test.each([
  [{ type: 'string', maxLength: 9 }, 'text', 9],
  [{ type: 'boolean' }, 'checkbox', undefined],
  [{ enum: ['small', 'large'] }, 'select', undefined],
  [{ type: 'integer' }, 'number', undefined],
  [{ type: 'number' }, 'number', undefined],
] as const)('the control of %j is %s', (schema, control, maxLength) => {
  expect(field(schema)).toMatchObject({ control, maxLength })
})

test('a choice without a default can be left open', () => {
  expect(field({ enum: [1, 2] })).toMatchObject({ options: ['', '1', '2'], initial: '' })
  expect(field({ enum: [1, 2], default: 2 })).toMatchObject({ options: ['1', '2'], initial: '2' })
})

describe('values for the API', () => {
  test.each<[ParameterSchema, string, ParameterValue | undefined]>([
    [{ type: 'integer' }, ' 8080 ', 8080],
    [{ type: 'integer' }, '1e3', 1000],
    [{ type: 'integer' }, '', undefined],
    [{ type: 'integer' }, 'many', 'many'],
    [{ type: 'integer' }, '0x10', '0x10'],
    [{ type: 'integer' }, '9007199254740993', '9007199254740993'],
    [{ type: 'number' }, '.5', 0.5],
    [{ type: 'number' }, '1e999', '1e999'],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'string' }, '', ''],
    [{ type: 'string', default: 'x' }, '', ''],
    [{ type: 'string' }, ' 12 ', ' 12 '],
    [{ enum: [1, 2] }, '2', 2],
    [{ enum: [1, 2] }, '', undefined],
    [{ enum: ['a'] }, 'b', 'b'],
    [{ type: 'string', enum: ['', 'a'] }, '', ''],
  ])('%j with %j is %j', (schema, text, value) => {
    expect(valueFor(schema, text)).toStrictEqual(value)
  })

  test('a required text that is empty is left out, so that the server says so', () => {
    expect(valueFor({ type: 'string' }, '', ['it'])).toBeUndefined()
  })

  test('a form that nobody touched is what the server makes of no parameters', async () => {
    const schema = {
      type: 'object',
      properties: {
        port: { type: 'integer', default: 8080, minimum: 1024 },
        ratio: { type: 'number', default: 0.5 },
        size: { enum: ['small', 'large'], default: 'small' },
        public: { type: 'boolean', default: false },
        note: { type: 'string' },
      },
    } as const
    const properties: Record<string, ParameterSchema> = schema.properties
    const reading = await readParameters(structuredClone(schema) as never)
    const parameters = reading.ok ? reading.value : undefined
    const { values } = resolveParameters(parameters, {})
    expect(parametersOf({ properties }, {})).toStrictEqual(values)
    expect(resolveParameters(parameters, parametersOf({ properties }, {})).faults).toStrictEqual([])
  })
})
