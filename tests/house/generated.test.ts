import { describe, expect, test } from 'bun:test'
import { configuringPages } from '#scripts/docs.ts'
import { consoleTypes, openApiDocument } from '#scripts/openapi.ts'
import { manifest, ROUTE_FOLDERS, urlOf } from '#scripts/routes.ts'
import { runProgram } from '#tests/support/run-program.ts'

describe('generated files are in step with what they are made from', () => {
  test.each(ROUTE_FOLDERS.map((folder) => [folder.folder, folder] as const))(
    'the route manifest in %s',
    async (name, folder) => {
      expect(await Bun.file(`${name}/routes.gen.ts`).text()).toBe(await manifest(folder))
    },
  )

  test.each(Object.entries(configuringPages()))('the page %s', async (path, text) => {
    expect(await Bun.file(path).text()).toBe(text)
  })

  test('the OpenAPI document', async () => {
    expect(await Bun.file('src/openapi.gen.json').text()).toBe(openApiDocument())
  })

  test('the types that the console has of the API', async () => {
    const types = await Bun.file('src/console/api/schema.gen.ts').text()
    expect(types).toBe(await consoleTypes(openApiDocument()))
  })
})

test.each([
  ['healthz.ts', '/healthz'],
  ['index.ts', '/'],
  ['api/v1/openapi.json.ts', '/api/v1/openapi.json'],
  ['api/v1/catalog/entities/index.ts', '/api/v1/catalog/entities'],
  ['api/v1/catalog/entities/[kind]/[name]/index.ts', '/api/v1/catalog/entities/:kind/:name'],
])('the file %s is the URL %s', (file, url) => {
  expect(urlOf(file)).toBe(url)
})

describe('the OpenAPI document', () => {
  test('has the parameters of the path and those of the query', () => {
    const { paths } = JSON.parse(openApiDocument()) as {
      paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>
    }
    const listed = paths['/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods']?.['get']
    expect(listed?.parameters?.map((each) => `${each.in} ${each.name}`)).toStrictEqual([
      'path clusterId',
      'path namespace',
      'query labelSelector',
      'query name',
      'query cursor',
      'query watch',
      'header If-None-Match',
    ])
    expect(JSON.stringify(paths)).not.toContain('x-parameters')
  })

  test('passes the linter', async () => {
    const linter = ['bunx', '--bun', 'redocly', 'lint', 'src/openapi.gen.json']
    const { exitCode, stdout, stderr } = await runProgram(linter)
    const output = `${stdout}\n${stderr}`
    expect(exitCode === 0 ? 'passed' : output).toBe('passed')
    expect(output).not.toContain('warning')
  })
})
