import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import {
  IDEMPOTENCY_KEY,
  ScaffoldRequest,
  templateFaultsOf,
} from '#src/lib/domain/scaffold/request.ts'
import { readJson } from '#src/lib/http/body.ts'
import { limited, writesOrPreviews } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { json } from '#src/lib/http/respond.ts'
import { runStreamHeaders } from '#src/lib/presenters/runs/stream.ts'
import {
  acceptedResponse,
  answerWithRun,
  callerOf,
  preferAsync,
  runStream,
} from '#src/lib/presenters/scaffold/run-answer.ts'
import {
  examplePreview,
  previewBody,
  ScaffoldPreview,
} from '#src/lib/presenters/scaffold/preview.ts'
import type { FieldError } from '#src/lib/schema/field-error.ts'
import { Ruled } from '#src/lib/schema/ruled.ts'
import { TEXT_RULES } from '#src/lib/schema/rules.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'

const BODY_MAX_BYTES = 64 * 1024

const Query = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Only previews the files, steps and checks' })),
})

const description = operation({
  id: 'scaffold',
  scope: 'scaffold:write',
  tag: 'Scaffold',
  summary: 'Start a new project from a template',
  description:
    'Creates a repository, an entry in the secret store and a pull request in the gitops repository, and streams an event for each step. A request that cannot succeed is refused before the stream starts, also when the secret store decides by its own policy and does not let the person create the entry (`secret_store_forbidden`), does not accept their sign-in (`secret_store_unauthorized`), or does not answer. The run continues when the client disconnects; the same request joins a run that is still running.',
  query: Query,
  headers: {
    'Idempotency-Key': Ruled('idempotency_key', IDEMPOTENCY_KEY, {
      description: 'Repeated within 24 hours with the same body, the key identifies the same run',
    }),
    ...preferAsync,
  },
  body: {
    schema: ScaffoldRequest,
    example: {
      templateId: 'bun-service',
      appName: 'refund-api',
      team: 'payments',
      namespace: 'payments-dev',
      description: 'Gives money back',
      features: { database: true },
      parameters: { port: 8080, databaseSize: 'small' },
    },
  },
  responses: {
    200: {
      description: 'The stream of the run; with `dryRun=true` a preview',
      content: [runStream, { schema: ScaffoldPreview, example: examplePreview }],
      headers: runStreamHeaders,
    },
    202: acceptedResponse,
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

type Needed = Pick<
  Deps,
  'scaffold' | 'runs' | 'sessions' | 'claims' | 'secretActors' | 'runStreams' | 'stopping' | 'usage'
>

export default (deps: Needed) => {
  const { scaffold, claims, secretActors, usage } = deps
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writesOrPreviews))
    .post(
      '',
      async ({ request, decider }) => {
        const query = parseQuery(request.url)
        const key = request.headers.get('idempotency-key')
        const body = await readJson(request, BODY_MAX_BYTES)
        if (!body.ok) return problem(request, body.error)
        const parsed = scaffold.parseRequest(body.value)
        if (!query.ok || !parsed.ok || !isKey(key)) {
          const list = await scaffold.templates()
          const ofTemplate = templateFaultsOf(body.value, list.ok ? list.value.templates : [])
          const errors = [
            ...(query.ok ? [] : query.error.errors),
            ...(isKey(key) ? [] : [KEY_INVALID]),
            ...(parsed.ok ? [] : parsed.error.filter(isOnlyIn(ofTemplate))),
            ...ofTemplate,
          ]
          return problem(request, { kind: 'validation_failed', errors })
        }
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const session = decided.value
        const caller = callerOf(request, session, secretActors)
        if (query.value.dryRun === true) {
          const preview = await scaffold.preview(caller, parsed.value)
          return preview.ok ? json(previewBody(preview.value)) : problem(request, preview.error)
        }
        return answerWithRun(request, deps, session, () =>
          scaffold.submit(caller, parsed.value, key),
        )
      },
      { parse: 'none', ...description },
    )
}

/** The template knows more about a value than the schema of all requests. */
const isOnlyIn =
  (others: readonly FieldError[]) =>
  ({ path }: FieldError): boolean =>
    others.every((other) => other.path !== path)

const isKey = (key: string | null): boolean => key === null || IDEMPOTENCY_KEY.test(key)

const KEY_INVALID = {
  path: '/headers/idempotency-key',
  rule: 'idempotency_key',
  message: TEXT_RULES.idempotency_key,
} as const
