import { expect, test } from 'bun:test'
import { openApiText, withPipeline } from '#src/lib/presenters/openapi.ts'
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

function patternsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(patternsIn)
  return 'pattern' in value && typeof value.pattern === 'string' ? [value, ...inner] : inner
}
