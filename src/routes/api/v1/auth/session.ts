import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { isPlatform, teamsOf } from '#src/lib/domain/access/principal.ts'
import { unknownGroupsAdvice } from '#src/lib/domain/access/unknown-groups.ts'
import { operation } from '#src/lib/http/operation.ts'
import { json } from '#src/lib/http/respond.ts'
import { session } from '#src/lib/http/session.ts'
import { Nullable } from '#src/lib/schema/nullable.ts'

const Strings = Type.Array(Type.String())

const description = operation({
  id: 'getSession',
  scope: 'catalog:read',
  tag: 'Session',
  summary: 'Get your session',
  description: 'Groups and teams as of the last renewal. Never contains a token.',
  responses: {
    200: {
      description: 'The person, their groups and teams, and the end of the session',
      content: {
        schema: Type.Object(
          {
            subject: Type.String(),
            name: Type.String(),
            email: Nullable(Type.String()),
            groups: Strings,
            groupsKnown: Type.Boolean({
              description:
                'False when the identity provider did not list the groups; everything that requires a group is then refused',
            }),
            groupsAdvice: Nullable(
              Type.String({
                description:
                  'What to change at the identity provider when it did not list the groups, else `null`',
              }),
            ),
            teams: Strings,
            platform: Type.Boolean(),
            repositories: Nullable(
              Type.String({
                description: 'Path of the pages of the embedded git host; `null` with another host',
              }),
            ),
            expiresAt: Type.String({ format: 'date-time' }),
          },
          { $id: 'Session' },
        ),
        example: {
          subject: 'manager',
          name: 'Mona Manager',
          email: 'manager@acme.example',
          groups: ['payments', 'payments:Managers'],
          groupsKnown: true,
          groupsAdvice: null,
          teams: ['payments'],
          platform: false,
          repositories: '/git',
          expiresAt: '2026-11-21T20:00:00.000Z',
        },
      },
    },
  },
})

export default ({ platformGroup, deployTokens }: Pick<Deps, 'platformGroup' | 'deployTokens'>) =>
  new Elysia().use(session).get(
    '',
    ({ session: { principal, expiresAt } }) => {
      const teams = teamsOf(principal, platformGroup)
      return json({
        subject: principal.subject,
        name: principal.name,
        email: principal.email,
        groups: principal.groups.kind === 'known' ? principal.groups.names : [],
        groupsKnown: principal.groups.kind === 'known',
        groupsAdvice: unknownGroupsAdvice(principal.groups),
        teams: teams === 'unknown' ? [] : teams,
        platform: isPlatform(principal, platformGroup),
        repositories: deployTokens === null ? null : '/git',
        expiresAt: new Date(expiresAt).toISOString(),
      })
    },
    description,
  )
