import { Elysia } from 'elysia'
import { operation } from '#src/lib/http/operation.ts'

const description = operation({
  id: 'getStart',
  tag: 'Service',
  summary: 'Lead to the documentation',
  description: 'Redirects to what a browser is shown first.',
  open: true,
  responses: {
    302: { description: 'To the documentation', headers: { Location: '`/docs`' } },
  },
})

export default () =>
  new Elysia().get(
    '',
    () => new Response(null, { status: 302, headers: { location: '/docs' } }),
    description,
  )
