import { ok } from '../../../lib/result.ts'
import type { Authorizer, ClusterUser } from '../access.ts'
import { requestAttributes } from './attributes.ts'
import { discovery } from './discovery.ts'
import { answerPublicly } from './health.ts'
import { forbidden } from './object-refusal.ts'
import { answerRefusal, internal, type Outcome, unauthorized, unknownPath } from './refusal.ts'
import { serveResource } from './resource-request.ts'
import type { ClusterParts } from './watch.ts'

export interface ApiServerOptions extends ClusterParts {
  /** Whose token it is; nothing for one that is not accepted. */
  readonly authenticate: (token: string) => Promise<ClusterUser | undefined>
  readonly allows: Authorizer
  readonly onBug: (error: unknown) => void
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** Answers a request as an API server does: who is it, may they, is there such a thing, and only then what it is. */
export const createHandler =
  (options: ApiServerOptions) =>
  async (request: Request): Promise<Response> => {
    try {
      const answer = await answerRequest(options, request)
      return answer.ok ? answer.value : answerRefusal(answer.error)
    } catch (error) {
      options.onBug(error)
      return answerRefusal(internal().error)
    }
  }

async function answerRequest(
  options: ApiServerOptions,
  request: Request,
): Promise<Outcome<Response>> {
  const url = new URL(request.url)
  const authorization = request.headers.get('authorization')
  const publicly = authorization === null && request.method === 'GET' && answerPublicly(url)
  if (publicly) return ok(publicly)

  const [, token] = BEARER.exec(authorization ?? '') ?? []
  const user = token === undefined ? undefined : await options.authenticate(token)
  if (user === undefined) return unauthorized()

  const known = request.method === 'GET' ? answerAnybody(url) : undefined
  if (known) return ok(known)
  const attributes = requestAttributes(request.method, url)
  if (attributes === undefined) return unknownPath()
  if (!options.allows(user, attributes)) return forbidden(user.username, attributes)
  return serveResource(options, attributes, request)
}

/** What everybody with an account may read. */
function answerAnybody(url: URL): Response | undefined {
  const document = discovery.get(url.pathname)
  return document ? Response.json(document) : answerPublicly(url)
}
