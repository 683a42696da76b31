import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { OPENAPI_FILE } from '#src/lib/http/openapi-file.ts'
import { operation } from '#src/lib/http/operation.ts'

const description = operation({
  id: 'getOpenApi',
  tag: 'Service',
  summary: 'This description, OpenAPI 3.1',
  open: true,
  responses: { 200: { description: 'The document', content: { schema: Type.Object({}) } } },
})

/** Made from the routes by `bun run openapi`, and checked against them by a test. */
export default () =>
  new Elysia().get(
    '',
    () =>
      new Response(Bun.file(OPENAPI_FILE), {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
      }),
    description,
  )
