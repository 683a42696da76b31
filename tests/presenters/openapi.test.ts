import { describe, expect, test } from 'bun:test'
import { openApiText, withPipeline } from '#src/lib/presenters/openapi.ts'
import { isObject } from '#src/lib/text/json.ts'
import { document } from '#tests/support/openapi.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

test('the default environments leave the generated document as it is', async () => {
  expect(openApiText(pipelineOf())).toBe(await Bun.file('src/openapi.gen.json').text())
})

test('other environments change the three schemas of their names alone', () => {
  const generated = openApiText(pipelineOf())
  const other = openApiText(pipelineOf('live:running:manager'))
  const names = { StageLifecycle: ['running'], TargetLifecycle: ['running', 'deprecated'] }
  const parsed = JSON.parse(other) as { components: { schemas: object } }
  expect(parsed.components.schemas).toMatchObject({
    EnvironmentName: { enum: ['live'] },
    StageLifecycle: { enum: names.StageLifecycle },
    TargetLifecycle: { enum: names.TargetLifecycle },
  })
  const schemas = (text: string) => (JSON.parse(text) as { components: object }).components
  expect(schemas(withPipeline(other, pipelineOf()))).toStrictEqual(schemas(generated))
})

test('examples of promotions are left out when their names are not the configured ones', () => {
  const names = /"(?:targetLifecycle|environment)": "(?:dev|development|staging|production)"/
  expect(openApiText(pipelineOf())).toMatch(names)
  expect(openApiText(pipelineOf('live:running:manager'))).not.toMatch(names)
})

test('a document without schemas is a bug', () => {
  expect(() => withPipeline('{}', pipelineOf())).toThrow('has no schemas')
})

test('every pattern of a request has a rule, by which people are told of it', async () => {
  const { paths } = (await Bun.file('src/openapi.gen.json').json()) as {
    paths: Record<string, Record<string, { parameters?: unknown; requestBody?: unknown }>>
  }
  const patterns = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters, requestBody }) =>
      patternsIn([parameters, requestBody]),
    ),
  )
  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((schema) => !('x-rule' in schema))).toStrictEqual([])
})

test('problem details are described by status, each with an example of its own', async () => {
  const { paths, components } = (await Bun.file('src/openapi.gen.json').json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
    components: { responses: Record<string, { description: string; content: Json }> }
  }
  type Json = Record<string, { example?: { status: number; code: string } }>
  const references = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { $ref }]) => ($ref?.includes('Problem') ? [[status, $ref] as const] : []))
  expect(references.length).toBeGreaterThan(100)
  for (const [status, reference] of new Map(references.map((row) => [row.join(), row])).values()) {
    const { description = '', content } =
      components.responses[reference.split('/').at(-1) ?? ''] ?? {}
    const { example } = content?.['application/problem+json'] ?? {}
    expect(String(example?.status)).toBe(status)
    expect(description).toContain(`\`${example?.code}\``)
  }
})

test('an entity may have further fields everywhere, and generated clients read them', async () => {
  const { components } = (await Bun.file('src/openapi.gen.json').json()) as {
    components: { schemas: { Entity: object } }
  }
  const closed = objectsIn(components.schemas.Entity).filter(
    (schema) => !('additionalProperties' in schema && schema.additionalProperties === true),
  )
  expect(closed).toStrictEqual([])
})

describe('what generators of clients understand', () => {
  const schemas = schemasIn([document.paths, document.components])
  const answers = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content = {} }) => Object.entries(content))

  test.each([
    ['a default that is no list', ({ default: value }) => !Array.isArray(value)],
    ['a choice of which one applies', (schema) => !('anyOf' in schema)],
    ['a dictionary with any names', (schema) => !('patternProperties' in schema)],
    [
      'null as a second type, or beside a reference',
      ({ oneOf: [first = {}, ...others] = [] }) =>
        !JSON.stringify(others).includes('"null"') || '$ref' in first,
    ],
    [
      // They forget the null of an object without a name.
      'an object or null by its name',
      ({ properties = {}, required = [] }) =>
        [required].flat().every((name) => {
          const { type = '' } = properties[String(name)] ?? {}
          return !Array.isArray(type) || !type.includes('object')
        }),
    ],
  ] as const satisfies [string, (schema: Schema) => boolean][])('%s', (_, understood) => {
    expect(schemas.filter((schema) => !understood(schema))).toStrictEqual([])
  })

  test('a JSON answer and an event of a stream by their names', () => {
    const json = answers.filter(([type]) => type === 'application/json')
    const streams = answers.filter(([type]) => type === 'text/event-stream')
    const named = [
      ...json.map(([, { schema }]) => schema),
      ...streams.flatMap(
        ([, content]): readonly unknown[] => content['x-itemSchema']?.oneOf ?? [null],
      ),
    ]
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((schema) => !isObject(schema) || !('$ref' in schema))).toStrictEqual([])
  })
})

interface Schema {
  readonly default?: unknown
  readonly type?: unknown
  readonly oneOf?: readonly object[]
  readonly properties?: Readonly<Record<string, Schema>>
  /** That of a parameter is a boolean. */
  readonly required?: readonly string[] | boolean
}

/** Every object of a document but its examples. */
function schemasIn(value: unknown): readonly Schema[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, member]) =>
    key === 'example' ? [] : schemasIn(member),
  )
  return Array.isArray(value) ? inner : [value, ...inner]
}

function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return 'type' in value && value.type === 'object' && 'properties' in value
    ? [value, ...inner]
    : inner
}

function patternsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(patternsIn)
  return 'pattern' in value && typeof value.pattern === 'string' ? [value, ...inner] : inner
}
