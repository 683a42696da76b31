import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { readForm } from '#src/lib/http/form.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

const BODY_MAX_BYTES = 64 * 1024

const description = operation({
  id: 'backchannelLogout',
  tag: 'Session',
  summary: 'End the sessions of a person who signed out at the identity provider',
  description:
    'The identity provider calls this (OpenID Connect Back-Channel Logout 1.0). The logout token, used once, is the only authority.',
  open: true,
  body: {
    contentType: 'application/x-www-form-urlencoded',
    schema: Type.Object({ logout_token: Type.String({ description: 'A JWT of the provider' }) }),
  },
  responses: { 200: { description: 'The sessions have ended, if there were any' } },
  problems: [400, 403],
})

export default ({ signOuts }: Pick<Deps, 'signOuts'>) =>
  new Elysia().post(
    '',
    async ({ request }) => {
      const token = await readLogoutToken(request)
      if (token === undefined) {
        return problem(request, { kind: 'logout_token_invalid', reason: 'missing' })
      }
      const { requestId, address } = contextOf(request)
      const ended = await signOuts.endByProvider(token, { requestId, address })
      if (ended.ok) return new Response(null)
      // Not 503: the specification has 400 for every failure, and the provider may send the token again.
      return ended.error.kind === 'logout_token_invalid'
        ? problem(request, ended.error)
        : problem(request, { kind: 'logout_failed' })
    },
    { parse: 'none', ...description },
  )

/** The token of the form, which must have one and only one. */
async function readLogoutToken(request: Request): Promise<string | undefined> {
  const form = await readForm(request, BODY_MAX_BYTES)
  const tokens = form.ok ? form.value.getAll('logout_token') : []
  return tokens.length === 1 && tokens[0] !== '' ? tokens[0] : undefined
}
