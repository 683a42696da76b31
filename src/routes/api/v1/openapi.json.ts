import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { openApiText } from '#src/lib/presenters/openapi.ts'
import { operation } from '#src/lib/http/operation.ts'

const description = operation({
  id: 'getOpenApi',
  tag: 'Service',
  summary: 'Get this document, OpenAPI 3.1',
  description: 'This document. Environments and lifecycles are those of this installation.',
  open: true,
  responses: {
    200: {
      description: 'The document',
      content: { schema: Type.Object({}, { $id: 'OpenApiDocument' }) },
    },
  },
})

/** Generated from the routes by `bun run openapi`; a test fails when it is stale. */
export default ({ pipeline }: Pick<Deps, 'pipeline'>) => {
  const document = lazily(() => openApiText(pipeline))
  return new Elysia().get(
    '',
    () =>
      new Response(document(), {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
      }),
    description,
  )
}
