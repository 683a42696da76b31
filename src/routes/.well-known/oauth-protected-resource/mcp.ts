import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { allScopes } from '#src/lib/domain/access/grants/scope.ts'
import { operation } from '#src/lib/http/operation.ts'
import { json } from '#src/lib/http/respond.ts'

const description = operation({
  id: 'getAgentResource',
  tag: 'Grants',
  summary: 'Metadata of the endpoint for agents as a protected resource (RFC 9728)',
  open: true,
  responses: {
    200: {
      description: 'The metadata',
      content: { schema: Type.Object({ resource: Type.String() }, { $id: 'ProtectedResource' }) },
    },
  },
})

export default ({ publicOrigin }: Pick<Deps, 'publicOrigin'>) =>
  new Elysia().get(
    '',
    () =>
      json({
        resource: `${publicOrigin}/mcp`,
        authorization_servers: [publicOrigin],
        scopes_supported: allScopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Portico for agents',
      }),
    description,
  )
