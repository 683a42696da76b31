import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { operation } from '#src/lib/http/operation.ts'
import { SWAGGER_UI_PAGE } from '#src/lib/http/swagger-ui.ts'

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
  new Elysia().get('', () => new Response(SWAGGER_UI_PAGE.body, SWAGGER_UI_PAGE.init), description)
