import { afterAll, expect } from 'bun:test'
import type { Cluster } from '#src/lib/ports/clusters.ts'
import { apiServer, type Sent } from '#tests/support/api-server.ts'
import {
  openPortal,
  type Person,
  type TestPortal,
  type TestRequest,
} from '#tests/support/portal.ts'

type PortalOptions = NonNullable<Parameters<typeof openPortal>[0]>

const NAMESPACE = '/api/v1/clusters/dev-east/namespaces/payments-dev'
export const PODS = `${NAMESPACE}/pods`
export const DEPLOYMENTS = `${NAMESPACE}/deployments`
export const RESTART = `${DEPLOYMENTS}/shop/restart`

export type Answer = (request: Request, sent: Sent) => Response | Promise<Response>

export const list = (items: readonly object[], metadata: object = {}) =>
  Response.json({ kind: 'List', metadata: { resourceVersion: '7', ...metadata }, items })
export const status = (code: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ kind: 'Status', message, code }, { status: code, headers })
export const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`

/** A portal with one cluster, or with the clusters that a test derives from it. */
export async function world(
  answer: Answer,
  clusters: (one: Cluster) => readonly Cluster[] = (one) => [one],
  more: Pick<PortalOptions, 'clusterDeadlineMs' | 'files' | 'databaseUrl' | 'environment'> = {},
) {
  const server = await apiServer(answer)
  const portal = await openPortal({ clusters: clusters(server.cluster), ...more })
  return {
    portal,
    cluster: server.cluster,
    sent: server.sent,
    get: (path: string, init: TestRequest = {}) => portal.request(path, { as: 'dev', ...init }),
    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** One world for the tests of a file, since opening one takes longer than most tests. Each test sets its own answer. */
export function sharedWorld() {
  let answer: Answer = () => list([])
  const opened = world((request, sent) => answer(request, sent))
  afterAll(async () => (await opened)[Symbol.asyncDispose]())
  return async (next: Answer) => {
    const at = await opened
    answer = next
    at.sent.length = 0
    return at
  }
}

export const post = (portal: TestPortal, path: string, as: Person = 'dev') =>
  portal.request(path, { method: 'POST', as })
export const problemOf = async (response: Response) => {
  const body = (await response.json()) as Record<string, unknown>
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return { status: response.status, code: body['code'], detail: body['detail'] }
}
