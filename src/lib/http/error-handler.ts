import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import { problem, Refusal } from './problem.ts'
import { contextOf } from './request-context.ts'
import { patternExpression } from './route-pattern.ts'

/** Removed endpoints, each with a hint at its successor. */
const REMOVED = [
  {
    pattern: /^\/api\/v1\/webhooks\/promote\/[^/]+\/[^/]+$/,
    hint: 'this webhook was removed in 0.3.0: promote with POST /api/v1/catalog/entities/{kind}/{name}/promotion',
  },
]

/** Renders Elysia's errors as problem details. Used once, before any route. */
export const errorHandler = (
  app: () => AnyElysia,
  log: Pick<Logger, 'error'>,
  missingPage: (request: Request) => Promise<Response> | undefined,
) => {
  let methodsOf: ((path: string) => readonly string[]) | undefined
  return new Elysia({ name: 'error-handler' }).onError(
    { as: 'global' },
    ({ code, error, request }) => {
      if (error instanceof Refusal) return problem(request, error.failure)
      if (code === 'NOT_FOUND') {
        methodsOf ??= createMethodTable(app())
        return notFound(request, methodsOf, missingPage)
      }
      const { requestId, path } = contextOf(request)
      log.error({ requestId, path, err: error }, 'unexpected error')
      return problem(request, { kind: 'internal_error' })
    },
  )
}

function notFound(
  request: Request,
  methodsOf: (path: string) => readonly string[],
  missingPage: (request: Request) => Promise<Response> | undefined,
): Response | Promise<Response> {
  const { path } = contextOf(request)
  const allow = methodsOf(path)
  if (allow.length === 0) {
    const removed = REMOVED.find(({ pattern }) => pattern.test(path))
    const refused = { kind: 'not_found', ...(removed && { hint: removed.hint }) } as const
    return missingPage(request) ?? problem(request, refused)
  }
  if (request.method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: { allow: allow.join(', ') } })
  }
  return problem(request, { kind: 'method_not_allowed', allow })
}

/** Finds the methods of a path. Created after the last route was added. */
function createMethodTable(app: AnyElysia): (path: string) => readonly string[] {
  const routes = app.routes.map(({ method, path }) => ({
    method,
    expression: patternExpression(path),
  }))
  return (path) => {
    const methods = routes
      .filter(({ expression }) => expression.test(path))
      .map(({ method }) => method)
    if (methods.length === 0) return []
    const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
    return [...new Set([...methods, ...implied])].toSorted()
  }
}
