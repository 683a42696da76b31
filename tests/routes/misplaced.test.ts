import { expect, test } from 'bun:test'
import { createRequestParser } from '#src/lib/domain/scaffold/request.ts'
import { isObject } from '#src/lib/text/json.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { openShop, preview } from '#tests/support/promotion.ts'

/** A catalog file is no body of fields: its route answers with the problems of the file. */
const FILES = '/api/v1/catalog/validate'
const CANARY = 'not-to-be-repeated'

/** Names and pointers of the members of a schema, without those of maps. */
const fieldsOf = (schema: unknown, at = ''): readonly (readonly [string, string])[] =>
  isObject(schema) && isObject(schema['properties'])
    ? Object.entries(schema['properties']).flatMap(([name, member]) => [
        [name, `${at}/${name}`] as const,
        ...fieldsOf(member, `${at}/${name}`),
      ])
    : []

test('a field at another level is refused in every body that has levels', async () => {
  await using portal = await openShop()
  const document: unknown = await (await portal.request('/api/v1/openapi.json')).json()
  const paths = isObject(document) && isObject(document['paths']) ? document['paths'] : {}
  let tried = 0
  for (const [path, operations] of Object.entries(paths)) {
    if (path === FILES || !isObject(operations)) continue
    for (const [method, operation] of Object.entries(operations)) {
      const { requestBody } = operation as { requestBody?: { content: Record<string, object> } }
      const json: { schema?: unknown } | undefined = requestBody?.content['application/json']
      const fields = fieldsOf(json?.schema)
      const [own, inner] = [(at: string) => at.split('/').length === 2, 'inner']
      const top = new Set(fields.flatMap(([name, at]) => (own(at) ? [name] : [])))
      const below = new Set(fields.flatMap(([name]) => (top.has(name) ? [] : [name])))
      const holder = fields.find(([, at]) => !own(at))?.[1].split('/')[1] ?? inner
      const bodies = [
        ...[...below].map((name) => [name, `/${name}`, { [name]: CANARY }] as const),
        ...(below.size === 0 ? [] : [...top]).map(
          (name) => [name, `/${holder}/${name}`, { [holder]: { [name]: CANARY } }] as const,
        ),
      ]
      for (const [name, at, body] of bodies) {
        const response = await portal.request(path.replace('{kind}/{name}', 'component/shop'), {
          method: method.toUpperCase(),
          as: 'platform',
          json: body,
        })
        const text = await response.text()
        const places = fields.flatMap(([each, place]) => (each === name ? [place] : []))
        expect([path, response.status]).toStrictEqual([path, 422])
        expect(JSON.parse(text)).toMatchObject({ code: 'validation_failed' })
        expect((JSON.parse(text) as { errors: unknown }).errors).toContainEqual({
          path: at,
          rule: 'misplaced',
          message: `belongs at ${places.join(' or ')}`,
        })
        expect(text).not.toContain(CANARY)
        tried += 1
      }
    }
  }
  expect(tried).toBeGreaterThan(20)
})

test('keys of maps and names that no schema has are not misplaced', async () => {
  await using portal = await openShop()
  const secrets = { replicas: '1', overlayConfig: '2', secrets: '3' }
  expect(await preview(portal, 'development', { secrets, nobody: { replicas: 1 } })).toMatchObject({
    status: 200,
    body: { secrets: { keys: ['overlayConfig', 'replicas', 'secrets'] } },
  })
  const project = {
    templateId: 'bun-service',
    appName: 'till',
    team: 'payments',
    namespace: 'payments-dev',
    parameters: { team: 'shipping', database: true },
  }
  const parsed: unknown = createRequestParser(pipelineOf(), [])({ ...project, nobody: 1 })
  expect(parsed).toStrictEqual({ ok: true, value: project })
})
