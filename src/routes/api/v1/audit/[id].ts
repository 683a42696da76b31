import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { isPlatform, type Principal } from '#src/lib/domain/access/principal.ts'
import { visibleTo } from '#src/lib/domain/audit/audit.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { RunId } from '#src/lib/names.ts'
import { AuditStory, auditRunBody, exampleStory, recordBody } from '#src/lib/presenters/audit.ts'
import { named } from '#src/lib/schema/named.ts'

const Parameters = Type.Object({
  id: named(RunId, { description: 'Id of a record', examples: [exampleStory.record.id] }),
})

const description = operation({
  id: 'getAuditRecord',
  scope: 'audit:read',
  tag: 'Audit',
  summary: 'One decision, with its run and what belongs to it',
  description:
    'Why a move or a project failed, or what it waits for: each step of its run with the time and the reason, the failure of another system, and the records of the same request, run and pull request. For the platform team and the members of the record’s team; for others the record is missing. The run is for those who may see it.',
  tagged: true,
  responses: {
    200: { description: 'The record', content: { schema: AuditStory, example: exampleStory } },
  },
  problems: [404, 422, 502, 503, 504],
})

const MISSING = { kind: 'audit_record_not_found' } as const

type Needed = Pick<Deps, 'audit' | 'runs' | 'platformGroup' | 'claims' | 'gitopsRepository'>

export default ({ audit, runs, platformGroup, claims, gitopsRepository }: Needed) => {
  const { owner, name } = gitopsRepository
  const pullRequestOf = (number: number) => `pull_request/${owner}/${name}/${number}`.toLowerCase()

  async function runOf(principal: Principal, details: object) {
    const id = 'runId' in details ? RunId.parse(details.runId) : undefined
    if (id === undefined) return null
    const run = await runs.find(principal, id)
    if (!run.ok) return null
    const events = await runs.eventsOf(id)
    return auditRunBody(run.value, events.ok ? events.value : [])
  }

  return new Elysia().use(decidingSession(claims)).get(
    '',
    async ({ request, params, decider }) => {
      const decided = await decider()
      if (!decided.ok) return problem(request, decided.error)
      const { principal } = decided.value
      const found = await audit.find(params.id)
      if (!found.ok) return problem(request, found.error)
      const record = found.value
      if (record === null || !visibleTo(principal, platformGroup, record.team).ok) {
        return problem(request, MISSING)
      }
      const [related, run] = await Promise.all([
        audit.related(record, pullRequestOf),
        runOf(principal, record.details),
      ])
      if (!related.ok) return problem(request, related.error)
      const seesAll = isPlatform(principal, platformGroup)
      const shown = related.value.filter(({ team }) => visibleTo(principal, platformGroup, team).ok)
      return taggedJson(request, {
        record: recordBody(record, seesAll),
        run,
        related: shown.map((other) => recordBody(other, seesAll)),
      })
    },
    { params: pathParameters(Parameters), ...description },
  )
}
