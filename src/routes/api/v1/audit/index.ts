import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refOf } from '#src/lib/domain/catalog/entity.ts'
import { isPlatform } from '#src/lib/domain/access/principal.ts'
import { visibleTo } from '#src/lib/domain/audit/audit.ts'
import { AuditRecordBody, exampleRecord, recordBody } from '#src/lib/presenters/audit.ts'
import { nextLink } from '#src/lib/http/page.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { json } from '#src/lib/http/respond.ts'
import { named } from '#src/lib/schema/named.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { ActionName, EntityRef, PersonSubject, RunId, TeamName } from '#src/lib/names.ts'

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
      content: { schema: Type.Array(AuditRecordBody), example: [exampleRecord] },
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
      const seesAll = isPlatform(decided.value.principal, platformGroup)
      return json(
        records.map((record) => recordBody(record, seesAll)),
        { headers },
      )
    },
    description,
  )
}
