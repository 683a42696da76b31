import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { allScopes } from '#src/lib/domain/access/grants/scope.ts'
import { JWT_BEARER } from '#src/lib/domain/access/grants/workloads.ts'
import { operation } from '#src/lib/http/operation.ts'
import { json } from '#src/lib/http/respond.ts'

const description = operation({
  id: 'getAuthorizationServer',
  tag: 'Grants',
  summary: 'Metadata of the authorization server (RFC 8414)',
  open: true,
  responses: {
    200: {
      description: 'The metadata',
      content: { schema: Type.Object({ issuer: Type.String() }, { $id: 'AuthorizationServer' }) },
    },
  },
})

export default ({ publicOrigin }: Pick<Deps, 'publicOrigin'>) =>
  new Elysia().get(
    '',
    () =>
      json({
        issuer: publicOrigin,
        authorization_endpoint: `${publicOrigin}/oauth/authorize`,
        token_endpoint: `${publicOrigin}/oauth/token`,
        revocation_endpoint: `${publicOrigin}/oauth/revoke`,
        scopes_supported: allScopes,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', JWT_BEARER],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      }),
    description,
  )
