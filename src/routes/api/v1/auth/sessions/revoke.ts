import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { readJson } from '#src/lib/http/body.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { PersonSubject } from '#src/lib/names.ts'
import { named } from '#src/lib/schema/named.ts'
import { createChecker } from '#src/lib/http/schema.ts'
import { endedExample, EndedSessions } from '#src/lib/presenters/sessions.ts'

const BODY_MAX_BYTES = 4 * 1024

const Body = Type.Object({
  subject: named(PersonSubject, {
    description: 'Subject of the person at the identity provider that you signed in at',
  }),
})

const description = operation({
  id: 'revokeSessions',
  tag: 'Session',
  summary: 'End all sessions of a person, as a member of the platform team',
  description:
    'Their streams end within a second. They can sign in again unless the identity provider refuses them: disable them there first.',
  body: { schema: Body, example: { subject: 'dev' } },
  responses: {
    200: {
      description: 'The number of sessions that ended',
      content: { schema: EndedSessions, example: endedExample },
    },
  },
  problems: [400, 403, 413, 415, 422, 429, 502, 503, 504],
})

export default ({
  personSessions,
  claims,
  usage,
}: Pick<Deps, 'personSessions' | 'claims' | 'usage'>) => {
  const check = createChecker(Body, '')
  return new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, decider }) => {
        const body = await readJson(request, BODY_MAX_BYTES)
        if (!body.ok) return problem(request, body.error)
        const parsed = check(body.value)
        if (!parsed.ok) return problem(request, parsed.error)
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { subject } = parsed.value
        const ended = await personSessions.revoke(decided.value, subject, contextOf(request))
        return ended.ok ? json({ ended: ended.value }) : problem(request, ended.error)
      },
      { parse: 'none', ...description },
    )
}
