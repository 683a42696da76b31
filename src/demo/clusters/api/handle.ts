import { ok } from '../../../lib/result.ts'
import type { Authorizer, ClusterUser } from '../access.ts'
import { ACCESS_REVIEWS, answerAccessReview } from './access-review.ts'
import { type RequestAttributes, requestAttributes } from './attributes.ts'
import { discovery } from './discovery.ts'
import { forbidden } from './object-refusal.ts'
import { isHealthPath } from './open-paths.ts'
import { answerRefusal, internal, type Outcome, unauthorized, unknownPath } from './refusal.ts'
import { serveResource } from './resource-request.ts'
import type { ClusterParts } from './watch.ts'

export interface ApiServerOptions extends ClusterParts {
  /** The user of a token; undefined for a token that is not accepted. */
  readonly authenticate: (token: string) => Promise<ClusterUser | undefined>
  readonly allows: Authorizer
  readonly onBug: (error: unknown) => void
}

const VERSION = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.4+portico',
  gitTreeState: 'clean',
  goVersion: 'go1.23.6',
  compiler: 'gc',
  platform: 'linux/amd64',
}
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** Handles a request in the order of an API server: authentication, authorization, then the resource. */
export const createHandler =
  (options: ApiServerOptions) =>
  async (request: Request): Promise<Response> => {
    const response = await answerOrRefuse(options, request)
    response.headers.set(AUDIT_ID, request.headers.get(AUDIT_ID) || crypto.randomUUID())
    return response
  }

/** The id of the request in the audit log, which the answer repeats (`WithAuditInit` in `k8s.io/apiserver`). */
const AUDIT_ID = 'audit-id'

async function answerOrRefuse(options: ApiServerOptions, request: Request): Promise<Response> {
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
  const isAnonymous = authorization === null && request.method === 'GET'
  const answer = isAnonymous ? answerAnyone(url) : undefined
  if (answer) return ok(answer)

  const [, token] = BEARER.exec(authorization ?? '') ?? []
  const user = token === undefined ? undefined : await options.authenticate(token)
  if (user === undefined) return unauthorized()

  const document = request.method === 'GET' ? answerAnyUser(url) : undefined
  if (document) return ok(document)
  const attributes = requestAttributes(request.method, url)
  if (attributes === undefined) return unknownPath()
  if (isAccessReview(attributes)) return answerAccessReview(options.allows, user, request)
  if (!options.allows(user, attributes)) return forbidden(user.username, attributes)
  return serveResource(options, attributes, request)
}

const isAccessReview = ({ group, resource, verb }: RequestAttributes): boolean =>
  group === ACCESS_REVIEWS.group && resource === ACCESS_REVIEWS.resource && verb === 'create'

/** Paths that the role `system:discovery` allows to every user. */
function answerAnyUser(url: URL): Response | undefined {
  const document = discovery.get(url.pathname)
  return document ? Response.json(document) : answerAnyone(url)
}

/** Paths that the role `system:public-info-viewer` allows to unauthenticated users. */
function answerAnyone({ pathname }: URL): Response | undefined {
  if (pathname === '/version') return Response.json(VERSION)
  return isHealthPath(pathname)
    ? new Response('ok', { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    : undefined
}
