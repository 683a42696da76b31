import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { requireSession } from '#src/lib/http/session.ts'
import { Nullable } from '#src/lib/schema/nullable.ts'

const Check = Nullable(
  Type.Object(
    { ok: Type.Boolean(), checkedAt: Type.String({ format: 'date-time' }) },
    { $id: 'ReadinessCheck' },
  ),
)

const description = operation({
  id: 'getReadiness',
  tag: 'Service',
  summary: 'Readiness probe',
  description:
    'Needs no session, unless `READYZ_REQUIRE_SESSION` is set, because kubelets have none. With a session the answer lists the checks.',
  open: true,
  anyHost: true,
  responses: {
    200: {
      description:
        'Ready: the git host and the database work, and the secret store does not refuse the settings of this process',
      content: {
        schema: Type.Object(
          {
            status: Type.Literal('ready'),
            checks: Type.Optional(Type.Object({ git: Check, database: Check, secretStore: Check })),
          },
          { $id: 'Readiness' },
        ),
        example: { status: 'ready' },
      },
    },
  },
  problems: [401, 503],
})

export default ({
  readiness,
  readyzRequiresSession,
}: Pick<Deps, 'readiness' | 'readyzRequiresSession'>) =>
  new Elysia().get(
    '',
    ({ request }) => {
      if (readyzRequiresSession) requireSession(request)
      const hasSession = contextOf(request).session.kind === 'active'
      const state = readiness.state()
      const checks = readiness.checks()
      if (state === 'ready') return json({ status: 'ready', ...(hasSession && { checks }) })
      return problem(request, {
        kind: 'not_ready',
        ...(hasSession && { details: { state, checks } }),
      })
    },
    description,
  )
