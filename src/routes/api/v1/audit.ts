import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { GrantKindSchema } from '#src/lib/domain/access/grants/grant.ts'
import { refOf } from '#src/lib/domain/catalog/entity.ts'
import { type AuditRecord, visibleTo } from '#src/lib/domain/audit/audit.ts'
import { Person } from '#src/lib/presenters/person.ts'
import { nextLink } from '#src/lib/http/next-link.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { json } from '#src/lib/http/respond.ts'
import { named } from '#src/lib/schema/named.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { ActionName, EntityRef, PersonSubject, RunId, TeamName } from '#src/lib/names.ts'
import { Nullable } from '#src/lib/schema/nullable.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 200

const Query = Type.Object({
  team: Type.Optional(named(TeamName, { description: 'Only records of this team' })),
  entity: Type.Optional(
    named(EntityRef, {
      description: 'Only records about this entity, as kind/name; without a kind a component',
      examples: ['component/payments-api'],
    }),
  ),
  actor: Type.Optional(
    named(PersonSubject, { description: 'Only records of the person with this subject' }),
  ),
  action: Type.Optional(
    named(ActionName, {
      description:
        'Only records of this action, or of all actions that begin with it and a dot: `promotion.confirm`, `promotion`',
      examples: ['promotion'],
    }),
  ),
  without: Type.Optional(
    named(ActionName, {
      description: 'No records of this action, or of all actions that begin with it and a dot',
      examples: ['session'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      description: `Page size, by default ${LIMIT_DEFAULT}`,
    }),
  ),
  before: Type.Optional(
    named(RunId, { description: 'Only records older than the one with this id' }),
  ),
})

const Record = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time' }),
    actor: Person,
    action: Type.String(),
    target: Type.String(),
    team: Nullable(Type.String()),
    result: Type.Union(
      (['allowed', 'denied', 'started', 'done', 'failed'] as const).map((result) =>
        Type.Literal(result),
      ),
      {
        description:
          '`denied`; `allowed` without an effect; otherwise the outcome of the effects: `done`, `failed`, or `started` while they are under way, and for good if the service ended in the middle',
      },
    ),
    code: Nullable(Type.String({ description: 'Code of the refusal or failure' })),
    groups: Type.Array(Type.String(), {
      description: 'Groups of the person that granted the action',
    }),
    revision: Nullable(Type.String({ description: 'Commit that was read for the decision' })),
    requestId: Nullable(Type.String({ description: '`null` for a record about several requests' })),
    address: Nullable(
      Type.String({
        description:
          'Address of the client, `null` when unknown; may be a network for a record about several requests',
      }),
    ),
    via: Nullable(
      Type.Object(
        {
          kind: GrantKindSchema,
          id: Type.String({ description: 'Id of the grant' }),
          client: Type.String({ description: 'Client id of the program' }),
        },
        {
          $id: 'Via',
          description: 'The grant by which a program acted for the person; `null` in a browser',
        },
      ),
    ),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further facts; may contain names of secrets, never their values',
    }),
  },
  { $id: 'AuditRecord' },
)

const example = {
  id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
  at: '2026-11-21T09:30:00.000Z',
  actor: { subject: 'dev', name: 'Dana Developer' },
  action: 'promotion.propose',
  target: 'component/payments-api',
  team: 'payments',
  result: 'denied',
  code: 'forbidden',
  groups: [],
  revision: '1f0c9a4be0b7d6ad9d4b0f1a9a8e3d0c5b7e2f61',
  requestId: '01936b2e-7b19-7000-a3c4-9f1d2e3c4b5a',
  address: '203.0.113.7',
  via: null,
  details: { target: 'production' },
}

const description = operation({
  id: 'listAuditRecords',
  scope: 'audit:read',
  tag: 'Audit',
  summary: 'List decisions and actions, with the people responsible',
  description:
    'One record for each decision, newest first: projects, promotions, confirmations, restarts, sign-ins and sign-outs, and previews that were denied. Requests beyond a limit are one record a minute. The platform team sees all records. Everybody else has to give `team`, and be a member of it. Records are kept for 400 days.',
  query: Query,
  responses: {
    200: {
      description: 'A page of records',
      content: { schema: Type.Array(Record), example: [example] },
      headers: { Link: '`rel="next"`, when a page follows' },
    },
  },
  problems: [403, 422, 502, 503, 504],
})

type Needed = Pick<Deps, 'audit' | 'platformGroup' | 'claims'>

export default ({ audit, platformGroup, claims }: Needed) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(decidingSession(claims)).get(
    '',
    async ({ request, decider }) => {
      const query = parseQuery(request.url)
      if (!query.ok) return problem(request, query.error)
      const { team = null, entity, actor = null, action = null, without = null } = query.value
      const { before = null, limit = LIMIT_DEFAULT } = query.value
      const decided = await decider()
      if (!decided.ok) return problem(request, decided.error)
      const visible = visibleTo(decided.value.principal, platformGroup, team)
      if (!visible.ok) return problem(request, visible.error)
      const target = entity === undefined ? null : refOf(entity)
      const page = await audit.list({
        team,
        target,
        subject: actor,
        action,
        without,
        before,
        limit,
      })
      if (!page.ok) return problem(request, page.error)
      const { records, next } = page.value
      const headers =
        next === null ? {} : { link: nextLink(request, query.value, { before: next }) }
      return json(records.map(recordBody), { headers })
    },
    description,
  )
}

const recordBody = ({ actor, at, ...facts }: AuditRecord) => ({
  ...facts,
  at: new Date(at).toISOString(),
  actor: { subject: actor?.subject ?? null, name: actor?.name ?? 'unknown' },
})
