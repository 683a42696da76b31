import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { hasRepeated, type OAuthError } from '#src/lib/domain/access/grants/authorization.ts'
import { JWT_BEARER } from '#src/lib/domain/access/grants/workloads.ts'
import { readForm } from '#src/lib/http/form.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { err } from '#src/lib/result.ts'
import { OAuthRefusal } from '#src/lib/presenters/grants/schemas.ts'

const description = operation({
  id: 'issueToken',
  tag: 'Grants',
  summary: 'Exchange a code, a refresh token or the token of a job for tokens',
  description:
    'OAuth 2.1 token endpoint for public clients. An access token lives for ten minutes; each refresh token counts once, and a second use ends the grant. A job of a CI system sends its OpenID token as `assertion`, and the name of its rule as `client_id`; it gets no refresh token.',
  open: true,
  body: {
    contentType: 'application/x-www-form-urlencoded',
    schema: Type.Object({
      grant_type: Type.String({
        description: `\`authorization_code\`, \`refresh_token\` or \`${JWT_BEARER}\``,
      }),
      client_id: Type.String(),
      code: Type.Optional(Type.String()),
      redirect_uri: Type.Optional(Type.String()),
      code_verifier: Type.Optional(Type.String()),
      refresh_token: Type.Optional(Type.String()),
      assertion: Type.Optional(Type.String()),
      scope: Type.Optional(Type.String()),
      resource: Type.Optional(Type.String()),
    }),
  },
  responses: {
    200: {
      description: 'Tokens',
      content: {
        schema: Type.Object(
          {
            access_token: Type.String(),
            token_type: Type.Literal('Bearer'),
            expires_in: Type.Integer(),
            refresh_token: Type.Optional(Type.String()),
            scope: Type.String(),
          },
          { $id: 'IssuedTokens' },
        ),
      },
    },
    400: { description: 'Refused (RFC 6749 §5.2)', content: { schema: OAuthRefusal } },
  },
  problems: [403, 413, 415, 429, 502, 503, 504],
})

export default ({
  grants,
  workloads,
  failedTokens,
}: Pick<Deps, 'grants' | 'workloads' | 'failedTokens'>) =>
  new Elysia().post(
    '',
    async ({ request }) => {
      const form = await readForm(request)
      if (!form.ok) return problem(request, form.error)
      const { value } = form
      if (hasRepeated(value)) return refuse('invalid_request')
      const clientId = value.get('client_id')
      if (clientId === null) return refuse('invalid_client')
      const issued = await issue(value, clientId, request)
      if (!issued.ok) {
        const { error } = issued
        if (error.kind !== 'oauth') return problem(request, error)
        const counted = await failedTokens.failed({
          ...contextOf(request),
          result: 'denied',
          code: error.error,
          details: clientId.length > CLIENT_ID_MAX_CHARACTERS ? {} : { client: clientId },
        })
        return counted.ok ? refuse(error.error) : problem(request, counted.error)
      }
      const { accessToken, refreshToken, expiresInSeconds, grant } = issued.value
      return json(
        {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: expiresInSeconds,
          ...(refreshToken !== null && { refresh_token: refreshToken }),
          scope: grant.scopes.join(' '),
        },
        { headers: NO_STORE },
      )

      async function issue(form: URLSearchParams, clientId: string, request: Request) {
        const context = contextOf(request)
        const resource = form.get('resource')
        const given = (name: string) => form.get(name) ?? ''
        switch (given('grant_type')) {
          case 'authorization_code':
            return grants.exchange(
              {
                code: given('code'),
                clientId,
                redirectUri: given('redirect_uri'),
                codeVerifier: given('code_verifier'),
                resource,
              },
              context,
            )
          case 'refresh_token':
            return grants.refresh(
              { refreshToken: given('refresh_token'), clientId, resource },
              context,
            )
          case JWT_BEARER:
            return (
              workloads?.exchange(
                {
                  assertion: given('assertion'),
                  clientId,
                  scope: form.get('scope'),
                  resource,
                },
                context,
              ) ?? UNSUPPORTED
            )
          default:
            return UNSUPPORTED
        }
      }
    },
    { parse: 'none', ...description },
  )

const UNSUPPORTED = err({ kind: 'oauth', error: 'unsupported_grant_type' } as const)
/** Anybody can send one, and it is kept in the audit trail. */
const CLIENT_ID_MAX_CHARACTERS = 512
const NO_STORE = { 'cache-control': 'no-store' }

const refuse = (error: OAuthError): Response => json({ error }, { status: 400, headers: NO_STORE })
