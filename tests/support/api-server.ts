import { type Authority, makeAuthority } from './certificates.ts'
import { Label } from '#src/lib/names.ts'
import type { Cluster, ClusterAccess } from '#src/lib/ports/clusters.ts'

/** Shared by all tests, because generating keys is slow. */
const authorities = { ours: makeAuthority(), others: makeAuthority() }
export const authority = (): Promise<Authority> => authorities.ours
/** Has the same name and another key. */
export const otherAuthority = (): Promise<Authority> => authorities.others

export const clusterAt = async (
  apiServer: string,
  more: Partial<Cluster> = {},
): Promise<Cluster> => ({
  id: Label.of('dev-east'),
  name: 'Development East',
  apiServer,
  trust: { kind: 'authority', pem: (await authority()).pem },
  tlsServerName: null,
  groups: ['payments'],
  auth: { mode: 'passthrough' },
  labels: {},
  environments: [],
  ...more,
})

export const accessTo = (cluster: Cluster, more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  cluster,
  namespace: Label.of('payments-dev'),
  token: 'the.users.token',
  requestId: 'the-request-id',
  trace: { traceparent: 'the-trace' },
  signal: new AbortController().signal,
  ...more,
})

/** The received requests. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An API server over TLS with scripted answers. */
export async function apiServer(
  answer: (request: Request, sent: Sent) => Response | Promise<Response>,
  tls?: { readonly cert: string; readonly key: string },
) {
  const sent: Sent[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    tls: tls ?? (await (await authority()).issue()),
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const one: Sent = {
        method: request.method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      }
      sent.push(one)
      return answer(request, one)
    },
  })
  const cluster = await clusterAt(`https://127.0.0.1:${server.port}`)
  return {
    sent,
    cluster,
    access: accessTo(cluster),
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}
