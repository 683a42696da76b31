import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { operation } from '#src/lib/http/operation.ts'
import { DOCS_PAGE } from '#src/lib/http/docs/page.ts'

const description = operation({
  id: 'getDocsPage',
  tag: 'Service',
  summary: 'API documentation as a page, with forms to try it',
  description: 'Made from the OpenAPI document. Requests from the page carry your session.',
  open: true,
  responses: {
    200: {
      description: 'Swagger UI',
      content: { contentType: 'text/html', schema: Type.String() },
    },
  },
})

export default () =>
  new Elysia().get('', () => new Response(DOCS_PAGE.body, DOCS_PAGE.init), description)
