import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { readForm } from '#src/lib/http/form.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

const description = operation({
  id: 'revokeToken',
  tag: 'Grants',
  summary: 'End the grant of a token',
  description: 'RFC 7009. Access and refresh tokens end together. An unknown token is 200 too.',
  open: true,
  body: {
    contentType: 'application/x-www-form-urlencoded',
    schema: Type.Object({ token: Type.String() }),
  },
  responses: { 200: { description: 'The token opens nothing any more' } },
  problems: [403, 413, 415],
})

export default ({ grants }: Pick<Deps, 'grants'>) =>
  new Elysia().post(
    '',
    async ({ request }) => {
      const form = await readForm(request)
      if (!form.ok) return problem(request, form.error)
      const revoked = await grants.revoke(form.value.get('token') ?? '', contextOf(request))
      return revoked.ok
        ? new Response(null, { headers: { 'cache-control': 'no-store' } })
        : problem(request, revoked.error)
    },
    { parse: 'none', ...description },
  )
