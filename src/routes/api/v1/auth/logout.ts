import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { clearedSessionCookie } from '#src/lib/domain/access/sessions/session-cookie.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { ok } from '#src/lib/result.ts'
import { json } from '#src/lib/http/respond.ts'
import { session } from '#src/lib/http/session.ts'
import { Nullable } from '#src/lib/schema/nullable.ts'

const description = operation({
  id: 'logout',
  tag: 'Session',
  summary: 'End the session',
  description:
    'Ends the session here. `logoutUrl` ends it at the identity provider too: open it in the browser.',
  responses: {
    200: {
      description:
        'The session has ended. To sign out of the identity provider too, open `logoutUrl` unless it is `null`',
      content: {
        schema: Type.Object({ logoutUrl: Nullable(Type.String()) }, { $id: 'SignOut' }),
        example: { logoutUrl: null },
      },
    },
  },
  problems: [400, 403, 413, 415, 503],
})

export default ({ signOuts }: Pick<Deps, 'signOuts'>) =>
  new Elysia().use(session).post(
    '',
    async ({ request }) => {
      const body = await refuseForeignBody(request)
      if (!body.ok) return problem(request, body.error)
      const { session: current, requestId, address, secureCookies: secure } = contextOf(request)
      const ended =
        current.kind === 'active' && current.token !== null
          ? await signOuts.signOut(current.session, current.token, { requestId, address })
          : ok({ logoutUrl: null })
      if (!ended.ok) return problem(request, ended.error)
      const headers = {
        'set-cookie': clearedSessionCookie(secure),
        // Not "cookies", which are those of the whole registrable domain.
        'clear-site-data': '"cache", "storage"',
      }
      return json(ended.value, { headers })
    },
    { parse: 'none', ...description },
  )
