import { Type } from 'typebox'
import { GrantKindSchema } from '../../domain/access/grants/grant.ts'
import { allScopes } from '../../domain/access/grants/scope.ts'
import type { ListedGrant } from '../../domain/access/sessions/sessions.ts'
import { Nullable } from '../../schema/nullable.ts'

/** RFC 6749 §5.2. */
export const OAuthRefusal = Type.Object(
  { error: Type.String({ description: 'A code of RFC 6749 or RFC 8707' }) },
  { $id: 'OAuthRefusal' },
)

export const GrantAnswer = Type.Object(
  {
    id: Type.String({ description: 'Ends the grant with `DELETE`; it opens nothing' }),
    kind: GrantKindSchema,
    client: Type.Object({ id: Type.String(), name: Type.String() }),
    scopes: Type.Array(Type.Union(allScopes.map((scope) => Type.Literal(scope)))),
    teams: Nullable(Type.Array(Type.String()), {
      description: 'Teams that it may act for; `null` for all of yours',
    }),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: Type.String({ format: 'date-time', description: 'To within a minute' }),
    expiresAt: Type.String({ format: 'date-time', description: 'Earlier without use' }),
    address: Nullable(Type.String({ description: 'Address of the browser that allowed it' })),
  },
  { $id: 'Grant' },
)

export const exampleGrant = {
  id: '5a3f0f6f2a1101936b2e7b1a7c558d0ec0535e4be2b79ffd93291305436bf889',
  kind: 'cli',
  client: { id: 'portico', name: 'Portico command line' },
  scopes: ['catalog:read', 'promotion:write'],
  teams: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  lastUsedAt: '2026-11-21T12:34:00.000Z',
  expiresAt: '2027-02-19T10:00:00.000Z',
  address: '192.0.2.7',
}

export const grantBody = ({
  idHash,
  grant,
  createdAt,
  seenAt,
  expiresAt,
  address,
}: ListedGrant) => ({
  id: idHash,
  kind: grant.kind,
  client: { id: grant.clientId, name: grant.clientName },
  scopes: grant.scopes,
  teams: grant.teams,
  createdAt: new Date(createdAt).toISOString(),
  // Before its first use the row says when that has to be.
  lastUsedAt: new Date(Math.max(createdAt, seenAt)).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
  address,
})
