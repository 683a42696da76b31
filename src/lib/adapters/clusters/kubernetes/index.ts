import type { Static, TSchema } from 'typebox'
import { createFair, type Fair } from '../../../concurrency/fair.ts'
import type {
  ApiResource,
  ClusterAccess,
  Collection,
  EventSubject,
  Kubernetes,
  ListQuery,
  LogQuery,
  ObjectType,
  PersonAccess,
  ReviewedAction,
} from '../../../ports/clusters.ts'
import { RESTARTED_AT } from '../../../ports/kubernetes-objects.ts'
import { ok } from '../../../result.ts'
import { accessReviewKind, eventKind, kindOf, namespaceKind } from './objects.ts'
import { probe } from './probe.ts'
import { type ApiRequest, ask, open, openPatiently, type Sender } from './request.ts'
import { nameSelector, watch } from './watch.ts'

const DEADLINE_MS = 10_000

/** Bun's default for `BUN_CONFIG_MAX_HTTP_REQUESTS`. */
const REQUESTS_AT_ONCE = 256
/** Share of all requests for calls to API servers; streams are limited elsewhere. */
const CALLS_SHARE = 1 / 4
/** Share of the calls for one API server. */
const SERVER_SHARE = 1 / 8
const PROBES_SHARE = 1 / 16
const CLOCKS_AGREE_MS = 5_000
const atLeast = (least: number, share: number): number => Math.max(least, Math.floor(share))

/** Kubernetes API servers over Bun's `fetch`: see `docs/decisions/kubernetes-transport.md`. */
export function createKubernetes({
  deadlineMs = DEADLINE_MS,
  requestsAtOnce = REQUESTS_AT_ONCE,
} = {}): Kubernetes {
  const all = atLeast(1, requestsAtOnce * CALLS_SHARE)
  const perServer = atLeast(1, all * SERVER_SHARE)
  /** An API server that does not answer must not occupy all requests of the process. */
  const everywhere = createFair({ queue: 'clusters', permits: all, isElsewhere: true })
  const servers = new Map<string, Fair>()
  function inTurn<Value>(
    apiServer: string,
    work: () => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const server = servers.getOrInsertComputed(apiServer, () =>
      createFair({ queue: 'cluster', permits: perServer, isElsewhere: true }),
    )
    return server.inTurn(() => everywhere.inTurn(work, signal), signal)
  }
  const { inTurn: probeInTurn } = createFair({
    queue: 'cluster_probes',
    permits: atLeast(1, requestsAtOnce * PROBES_SHARE),
  })
  const ahead = new Map<string, number>()
  const by = (access: PersonAccess): Sender => ({
    ...access,
    inTurn,
    deadlineMs,
    onDate(date) {
      const aheadMs = Date.parse(date ?? '') - Date.now()
      if (!Number.isNaN(aheadMs)) ahead.set(access.cluster.apiServer, aheadMs)
    },
  })
  function collection<Schema extends TSchema>(
    type: ObjectType<Schema>,
  ): Collection<Static<Schema>> {
    const kind = kindOf(type.schema)
    const pathIn = pathOf(type)
    return {
      read: (access, name) => ask(by(access), { path: `${pathIn(access)}/${name}` }, kind.read),
      list: (access, query, view) =>
        ask(by(access), listRequest(pathIn(access), query), kind.list(query.limit, view)),
      watch: (access, from, view) => watch(by(access), { path: pathIn(access), kind, from, view }),
      restart: (access, name, restartedAt) =>
        ask(by(access), restartRequest(`${pathIn(access)}/${name}`, restartedAt), kind.read),
    }
  }
  return {
    probe: (cluster) => probeInTurn(() => probe(cluster)),
    aheadMs({ apiServer }) {
      const aheadMs = ahead.get(apiServer) ?? 0
      return Math.abs(aheadMs) < CLOCKS_AGREE_MS ? 0 : aheadMs
    },
    objects: collection,
    namespaces: (access, query) =>
      ask(
        by(access),
        listRequest('/api/v1/namespaces', query),
        namespaceKind.list(query.limit, ({ metadata }) => metadata.name),
      ),
    async mayDo(access, action) {
      const review = await ask(by(access), reviewRequest(action), accessReviewKind.read)
      return review.ok ? ok(review.value.status.allowed) : review
    },
    async log(access, pod, query) {
      const path = `${coreIn(access)}/pods/${pod}/log`
      const request = { path, query: logParameters(query), accept: '*/*' }
      const opened = await (query.follow ? openPatiently : open)(by(access), request)
      // The API server answers 204 for a pod that is not scheduled.
      return opened.ok ? ok(opened.value.body ?? new Blob().stream()) : opened
    },
    events: (access, about, query, view) =>
      ask(
        by(access),
        listRequest(`${coreIn(access)}/events`, {
          ...query,
          fieldSelector: about && subjectSelector(about),
        }),
        eventKind.list(query.limit, view),
      ),
  }
}

type InNamespace = Pick<ClusterAccess, 'namespace'>

const coreIn = ({ namespace }: InNamespace) => `/api/v1/namespaces/${namespace}`
const pathOf =
  ({ group, version, plural }: ApiResource) =>
  ({ namespace }: InNamespace): string =>
    `${group === '' ? '/api' : `/apis/${group}`}/${version}/namespaces/${namespace}/${plural}`

const subjectSelector = ({ kind, name, uid }: EventSubject): string =>
  [
    `involvedObject.kind=${kind}`,
    `involvedObject.name=${name}`,
    ...(uid === null ? [] : [`involvedObject.uid=${uid}`]),
  ].join(',')

/** Kubernetes' SelfSubjectAccessReview: every person who is signed in may create one. */
const reviewRequest = ({ namespace, ...action }: ReviewedAction): ApiRequest => ({
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  write: {
    kind: 'create',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace: namespace ?? '', ...action } },
    },
  },
})

/** Without `resourceVersion`, which reads the latest state in pages; `resourceVersion=0` would ignore the limit. */
function listRequest(
  path: string,
  {
    limit,
    after,
    labelSelector = null,
    name,
    fieldSelector = name === undefined ? null : nameSelector(name),
  }: Omit<ListQuery, 'labelSelector'> & {
    readonly labelSelector?: string | null
    readonly fieldSelector?: string | null
  },
): ApiRequest {
  return { path, query: { limit, continue: after, labelSelector, fieldSelector } }
}

const restartRequest = (path: string, restartedAt: string): ApiRequest => ({
  path,
  query: { fieldManager: 'portico' },
  write: {
    kind: 'patch',
    object: { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } },
  },
})

function logParameters({ container, follow, previous, tailLines, ...more }: LogQuery) {
  const { timestamps = false, since: sinceTime = null } = more
  return { container, follow, previous, tailLines, timestamps, sinceTime }
}
