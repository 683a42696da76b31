import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { readTypedBody } from '#src/lib/http/body.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf, setContext } from '#src/lib/http/request-context.ts'

const BODY_MAX_BYTES = 256 * 1024

const description = operation({
  id: 'callTool',
  tag: 'Grants',
  summary: 'Model Context Protocol, for agents',
  description:
    'Streamable HTTP without sessions, JSON answers only; revisions 2026-07-28, 2025-11-25 and 2025-06-18. Needs an access token for the resource `/mcp`; a session cookie does not help. Each tool is a request of a route of this API.',
  open: true,
  body: { schema: Type.Object({}, { $id: 'McpRequest' }) },
  responses: {
    200: { description: 'The answer', content: { schema: Type.Object({}, { $id: 'McpAnswer' }) } },
    202: { description: 'A notification, which nothing follows from' },
  },
  problems: [400, 401, 403, 413, 415, 429],
})

type Needed = Pick<Deps, 'agentUsage' | 'dispatch'>

export default ({ agentUsage, dispatch }: Needed) =>
  new Elysia().post(
    '',
    async ({ request }) => {
      const context = contextOf(request)
      const { session, bearer, publicOrigin, scopeOf } = context
      if (bearer.kind === 'unavailable') {
        return problem(request, { kind: 'database_unavailable', reason: 'session store' })
      }
      if (bearer.kind === 'active' && session.kind !== 'none') {
        return problem(request, { kind: 'ambiguous_credentials' })
      }
      if (bearer.kind !== 'active' || bearer.grant.resource !== `${publicOrigin}/mcp`) {
        return problem(request, { kind: 'agent_token_required' })
      }
      const accepted = ['application/json']
      const body = await readTypedBody(request, { limitBytes: BODY_MAX_BYTES, accepted })
      if (!body.ok) return problem(request, body.error)
      const { answerMessage } = await import('#src/lib/presenters/mcp/protocol.ts')
      const { grant } = bearer
      context.session = { kind: 'active', session: bearer.session, token: null }
      return answerMessage(request, new TextDecoder().decode(body.value), {
        origin: publicOrigin,
        mayUse({ method, route }) {
          const scope = scopeOf(method, route)
          return scope !== undefined && grant.scopes.includes(scope)
        },
        refuse({ method, route }) {
          const scope = scopeOf(method, route)
          return problem(request, {
            kind: 'insufficient_scope',
            scopes: scope === undefined ? [] : [scope],
          })
        },
        async count(isReading) {
          const taken = await agentUsage[isReading ? 'read' : 'write'].take(bearer.session.idHash)
          return taken.ok ? undefined : problem(request, taken.error)
        },
        send(inner) {
          // The token is for this endpoint, and the endpoint acts in its name at the routes.
          const ofApi = { ...bearer, grant: { ...grant, resource: publicOrigin } }
          const { pathname: path } = new URL(inner.url)
          setContext(inner, { ...context, path, session: { kind: 'none' }, bearer: ofApi })
          return dispatch(inner)
        },
      })
    },
    { parse: 'none', ...description },
  )
