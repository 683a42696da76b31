import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { operation } from '#src/lib/http/operation.ts'
import { json } from '#src/lib/http/respond.ts'

const description = operation({
  id: 'getHealth',
  tag: 'Service',
  summary: 'Liveness probe',
  description: 'Answers while the process lives, whatever happens to its neighbours.',
  open: true,
  anyHost: true,
  responses: {
    200: {
      description: 'The process is alive',
      content: {
        schema: Type.Object({ status: Type.Literal('ok') }, { $id: 'Health' }),
        example: { status: 'ok' },
      },
    },
  },
})

export default () => new Elysia().get('', () => json({ status: 'ok' }), description)
