import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { docsAsset } from '#src/lib/http/docs/page.ts'

const params = pathParameters(
  Type.Object({ asset: Type.String({ maxLength: 100, examples: ['page.js'] }) }),
)

const description = operation({
  id: 'getDocsAsset',
  tag: 'Service',
  summary: 'Files of the docs page, and the frame for definitions of APIs',
  description: 'Served by the service itself; the page loads nothing from elsewhere.',
  open: true,
  responses: {
    200: {
      description: 'The file',
      content: [
        { contentType: 'text/javascript', schema: Type.String() },
        { contentType: 'text/css', schema: Type.String() },
        { contentType: 'text/html', schema: Type.String() },
      ],
    },
  },
  problems: [404, 422],
})

export default () =>
  new Elysia().get(
    '',
    ({ request, params }) => docsAsset(params.asset) ?? problem(request, { kind: 'not_found' }),
    { params, ...description },
  )
