import { describe, expect, test } from 'bun:test'
import { parseTemplate } from '#src/lib/domain/scaffold/template.ts'
import { Label } from '#src/lib/names.ts'
import { template } from '#tests/support/portal.ts'

const SERVICE = Label.of('service')

/** A template whose parameters begin in line 2, with the properties from line 4. */
const sourceOf = (parameters: string): string => {
  const facts = template('service').slice(1, -1)
  return `{${facts},\n"parameters": ${parameters}}`
}

const faultOf = async (parameters: string) => {
  const parsed = await parseTemplate(SERVICE, sourceOf(parameters))
  if (parsed.ok) return 'no fault'
  return parsed.error.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n')
}

const property = (schema: string, more = ''): string =>
  `{ type: object, properties: {\nsize: ${schema}\n}${more} }`

describe('the parameters of a template', () => {
  test.each([
    property('{ type: string }'),
    property('{ type: string, title: Size, description: How large, minLength: 1, maxLength: 200 }'),
    property('{ type: string, pattern: "^[a-z]+$", default: small, examples: [large] }'),
    property('{ type: string, enum: [small, large], default: small }'),
    property('{ enum: [small, large], default: small }'),
    property('{ enum: [1, 2, 4], default: 2 }'),
    property('{ type: integer, default: 8080, minimum: 1024, maximum: 65535, multipleOf: 8 }'),
    property('{ type: integer, default: 3.0 }'),
    property('{ type: number, default: 0.5, exclusiveMinimum: 0, exclusiveMaximum: 1 }'),
    property('{ type: boolean, default: false }'),
    property('{ type: boolean }', ', required: [size]'),
    '{ type: object, properties: {}, additionalProperties: false }',
    '{ $schema: "https://json-schema.org/draft/2020-12/schema", type: object, properties: {} }',
    '{ type: object, title: Options, properties: { constructor: { type: string } } }',
  ])('may be %s', async (parameters) => {
    expect(await faultOf(parameters)).toBe('no fault')
  })

  const KNOWN =
    'is not known here: a parameter may have type, title, description, default, examples, enum, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf'
  const NO_NAME =
    'cannot be a name: letters, digits, _ and -, beginning with a letter, such as databaseSize'
  test.each<readonly [string, string]>([
    ['3', '2:15 parameters must be an object'],
    ['[]', '2:15 parameters must be an object'],
    ['{ type: object }', '2:15 parameters.properties is required'],
    ['{ type: array, properties: {} }', '2:23 parameters.type must be one of object'],
    ['{ type: object, $ref: x, properties: {} }', '2:37 parameters.$ref is not known here'],
    ['{ type: object, $defs: {}, properties: {} }', '2:38 parameters.$defs is not known here'],
    ['{ type: object, allOf: [], properties: {} }', '2:38 parameters.allOf is not known here'],
    [
      '{ type: object, additionalProperties: true, properties: {} }',
      '2:53 parameters.additionalProperties is not valid',
    ],
    [
      '{ type: object, properties: {}, required: [size] }',
      '2:58 parameters.required names a parameter that properties does not have',
    ],
    [
      property('{ type: string }', ', required: [size, size]'),
      '4:21 parameters.required names a parameter twice',
    ],
    [property('{ $ref: "#/x" }'), `3:15 parameters.properties.size.$ref ${KNOWN}`],
    [
      property('{ type: string, format: email }'),
      `3:31 parameters.properties.size.format ${KNOWN}`,
    ],
    [
      property('{ type: string, writeOnly: true }'),
      `3:34 parameters.properties.size.writeOnly ${KNOWN}`,
    ],
    [
      property('{ type: object }'),
      '3:15 parameters.properties.size.type must be one of string, integer, number, boolean',
    ],
    [
      property('{ type: [string, "null"] }'),
      '3:15 parameters.properties.size.type must be one of string, integer, number, boolean',
    ],
    [
      property('{}'),
      '3:7 parameters.size needs a type: string, integer, number or boolean, the same for all its choices',
    ],
    [
      property('{ enum: [a, 1] }'),
      '3:7 parameters.size needs a type: string, integer, number or boolean, the same for all its choices',
    ],
    [property('{ type: string, enum: [] }'), '3:29 parameters.properties.size.enum is not valid'],
    [
      property('{ type: string, title: "a\\nb" }'),
      '3:30 parameters.properties.size.title one line of text, without control characters or marks that change its direction',
    ],
    [
      property(`{ type: string, pattern: '${'\\pL{0,100}'.repeat(40)}' }`),
      '3:32 parameters.size.pattern takes too long: its repetitions within repetitions are too many, or too large',
    ],
    [property('{ type: string, enum: [a, b, a] }'), '3:36 parameters.size.enum.2 is there twice'],
    [property('{ type: string, enum: [a, 1] }'), '3:33 parameters.size.enum.1 must be text'],
    [
      property('{ type: string, enum: [a], default: b }'),
      '3:43 parameters.size.default must be one of a',
    ],
    [property('{ type: string, default: 1.4 }'), '3:32 parameters.size.default must be text'],
    [
      property('{ type: string, default: "a\\nb" }'),
      '3:32 parameters.size.default one line of text, without control characters or marks that change its direction',
    ],
    [
      property(`{ type: string, default: ${'x'.repeat(201)} }`),
      '3:32 parameters.size.default must have at most 200 characters',
    ],
    [
      property('{ type: string, maxLength: 201 }'),
      '3:34 parameters.properties.size.maxLength must be at most 200',
    ],
    [
      property('{ type: string, minLength: 3, maxLength: 2 }'),
      '3:34 parameters.size.minLength is more than maxLength',
    ],
    [
      property('{ type: string, minLength: 3, default: ab }'),
      '3:46 parameters.size.default must have at least 3 characters',
    ],
    [
      property('{ type: string, minimum: 3 }'),
      '3:32 parameters.size.minimum is not for parameters of type string',
    ],
    [
      property('{ type: integer, default: 80, pattern: x }'),
      '3:46 parameters.size.pattern is not for parameters of type integer',
    ],
    [
      property('{ type: boolean, default: true, enum: [true] }'),
      '3:45 parameters.size.enum is not for parameters of type boolean',
    ],
    [
      property('{ type: number, default: 1, multipleOf: 2 }'),
      '3:47 parameters.size.multipleOf is not for parameters of type number',
    ],
    [
      property('{ type: integer, default: 80.5 }'),
      '3:33 parameters.size.default must be a whole number',
    ],
    [
      property('{ type: integer, default: "80" }'),
      '3:33 parameters.size.default must be a whole number',
    ],
    [
      property('{ type: integer, default: 9007199254740993 }'),
      '3:33 parameters.size.default must be a whole number',
    ],
    [
      property('{ type: number, default: .inf }'),
      '3:32 parameters.properties.size.default must be text or a number or true or false',
    ],
    [
      property('{ type: integer, default: 80, minimum: 1024 }'),
      '3:33 parameters.size.default must be at least 1024',
    ],
    [
      property('{ type: integer, default: 8, exclusiveMaximum: 8 }'),
      '3:33 parameters.size.default must be less than 8',
    ],
    [
      property('{ type: integer, default: 5, multipleOf: 2 }'),
      '3:33 parameters.size.default must be a multiple of 2',
    ],
    [
      property('{ type: integer, default: 5, minimum: 9, maximum: 3 }'),
      '3:45 parameters.size.minimum leaves no number below the maximum',
    ],
    [
      property('{ type: boolean, default: "yes" }'),
      '3:33 parameters.size.default must be true or false',
    ],
    [
      property('{ type: boolean, default: null }'),
      '3:33 parameters.properties.size.default must be text or a number or true or false',
    ],
    [property('{ type: boolean }'), '3:7 parameters.size needs a default, or has to be required'],
    [property('{ type: string, examples: [1] }'), '3:34 parameters.size.examples.0 must be text'],
    [
      property('{ type: string, pattern: "(a" }'),
      '3:32 parameters.size.pattern is not a pattern of RE2: missing closing )',
    ],
    [
      property('{ type: string, pattern: "(?=a)" }'),
      '3:32 parameters.size.pattern is not a pattern of RE2: invalid or unsupported Perl syntax',
    ],
    [
      property('{ type: string, pattern: "(a)\\\\1" }'),
      '3:32 parameters.size.pattern is not a pattern of RE2: invalid escape sequence',
    ],
    [
      property('{ type: string, pattern: "((a{100}){100}){100}" }'),
      '3:32 parameters.size.pattern is not a pattern of RE2: invalid repeat count',
    ],
    [
      property(`{ type: string, pattern: ${'x'.repeat(501)} }`),
      '3:32 parameters.properties.size.pattern must have at most 500 characters',
    ],
    [
      property('{ type: string, pattern: "^[a-z]+$", default: A1, examples: [abc] }'),
      '3:53 parameters.size.default must have the form that the template asks for, such as abc',
    ],
    [
      '{ type: object, properties: {\n"a b": { type: string }\n} }',
      `3:8 parameters.properties.a b ${NO_NAME}`,
    ],
    [
      '{ type: object, properties: {\n1a: { type: string }\n} }',
      `3:5 parameters.properties.1a ${NO_NAME}`,
    ],
    [
      '{ type: object, properties: {\n__proto__: { type: string }\n} }',
      `3:12 parameters.properties.__proto__ ${NO_NAME}`,
    ],
    [
      '{ type: object, properties: {\na/b: { type: string }\n} }',
      `3:6 parameters.properties.a/b ${NO_NAME}`,
    ],
    [
      '{ type: object, properties: {\na: { type: integer },\nb: { type: string, minLength: 3, maxLength: 2 }\n}, required: [c] }',
      '3:4 parameters.a needs a default, or has to be required\n4:31 parameters.b.minLength is more than maxLength\n5:15 parameters.required names a parameter that properties does not have',
    ],
  ])('may not be %s', async (parameters, fault) => {
    expect(await faultOf(parameters)).toBe(fault)
  })

  test('are fifty at most', async () => {
    const many = (count: number) =>
      `{ type: object, properties: {${Array.from({ length: count }, (_, index) => `p${index}: { type: string }`).join(', ')}} }`
    expect(await faultOf(many(50))).toBe('no fault')
    expect(await faultOf(many(51))).toBe('2:43 parameters.properties must have at most 50 keys')
  })
})
