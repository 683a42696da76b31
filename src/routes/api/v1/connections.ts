import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { authorise } from '#src/lib/domain/access/authorise.ts'
import { CONNECTIONS } from '#src/lib/domain/connections.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'

/** Somebody who mends something looks again. */
const AGE_MAX_MS = 30_000

const Finding = Type.Object(
  {
    ok: Type.Boolean(),
    text: Type.String({ description: 'A sentence: what works, or what to do' }),
  },
  { $id: 'ConnectionFinding' },
)

const Connections = Type.Object(
  {
    checkedAt: Type.String({ format: 'date-time' }),
    ok: Type.Boolean(),
    checks: Type.Array(
      Type.Object({
        name: Type.Enum([...CONNECTIONS]),
        ok: Type.Boolean({ description: 'Whether every finding is good' }),
        findings: Type.Array(Finding),
      }),
    ),
  },
  { $id: 'Connections' },
)

const description = operation({
  id: 'getConnections',
  tag: 'Service',
  summary: 'What Portico depends on, tried by this process',
  description:
    'For the platform team. The checks of `portico config check --connect`: they change nothing, and no text has a secret. The answer is at most 30 s old, and waits 10 s at most.',
  tagged: true,
  responses: {
    200: {
      description: 'The findings of each check',
      content: {
        schema: Connections,
        example: {
          checkedAt: '2026-11-21T09:30:00.000Z',
          ok: true,
          checks: [
            {
              name: 'git',
              ok: true,
              findings: [{ ok: true, text: 'git 2.47 is here.' }],
            },
          ],
        },
      },
    },
  },
  problems: [403],
})

export default ({ connections, platformGroup }: Pick<Deps, 'connections' | 'platformGroup'>) =>
  new Elysia().use(session).get(
    '',
    async ({ request, session: { principal } }) => {
      const allowed = authorise(principal, [platformGroup])
      if (!allowed.ok) return problem(request, allowed.error)
      const { checkedAt, subjects } = await connections.read(AGE_MAX_MS)
      const checks = subjects.map(({ name, findings }) => ({
        name,
        ok: findings.every(({ ok }) => ok),
        findings,
      }))
      return taggedJson(request, {
        checkedAt: new Date(checkedAt).toISOString(),
        ok: checks.every(({ ok }) => ok),
        checks,
      })
    },
    description,
  )
