import type { Label, Subdomain } from '../../../names.ts'
import type { ClusterAccess, Kubernetes, ListQuery, LogQuery } from '../../../ports/clusters.ts'
import { RESTARTED_AT } from '../../../ports/kubernetes-objects.ts'
import { ok } from '../../../result.ts'
import { deploymentKind, eventKind, podKind } from './objects.ts'
import { createTurnstile } from '../../../concurrency/turnstile.ts'
import { probe } from './probe.ts'
import { type ApiRequest, ask, open, openPatiently, type Sender } from './request.ts'
import { createTurns } from './turns.ts'
import { watch } from './watch.ts'

const EVENTS_MAX = 200

const DEADLINE_MS = 10_000

/** What Bun makes at a time, if nothing else is said. */
const REQUESTS_AT_ONCE = 256
/** The part of them that may be calls to API servers, and no streams. */
const CALLS_SHARE = 1 / 4
/** The part of the calls that may be to one API server, and the part of those that may be of one person. */
const SERVER_SHARE = 1 / 8
const PERSON_SHARE = 1 / 4
const PROBES_SHARE = 1 / 16
const atLeast = (least: number, share: number): number => Math.max(least, Math.floor(share))

/** Kubernetes API servers by Bun's `fetch`: see `docs/decisions/kubernetes-transport.md`. */
export function createKubernetes({
  deadlineMs = DEADLINE_MS,
  requestsAtOnce = REQUESTS_AT_ONCE,
} = {}): Kubernetes {
  const all = atLeast(1, requestsAtOnce * CALLS_SHARE)
  const perServer = atLeast(1, all * SERVER_SHARE)
  const inTurn = createTurns({ all, perServer, perPerson: atLeast(2, perServer * PERSON_SHARE) })
  const probeInTurn = createTurnstile(atLeast(1, requestsAtOnce * PROBES_SHARE))
  const by = (access: ClusterAccess): Sender => ({ ...access, inTurn, deadlineMs })
  return {
    probe: (cluster) => probeInTurn(() => probe(cluster)),
    pods: (access, query, show) =>
      ask(by(access), listRequest(podsIn(access), query), podKind.list(query.limit, show)),
    deployments: (access, query, show) =>
      ask(
        by(access),
        listRequest(deploymentsIn(access), query),
        deploymentKind.list(query.limit, show),
      ),
    deployment: (access, name) =>
      ask(by(access), { path: deploymentPath(access, name) }, deploymentKind.read),
    restart: (access, name, restartedAt) =>
      ask(
        by(access),
        restartRequest(deploymentPath(access, name), restartedAt),
        deploymentKind.read,
      ),
    watchPods: (access, from) => watch(by(access), { path: podsIn(access), kind: podKind, from }),
    watchDeployments: (access, from) =>
      watch(by(access), { path: deploymentsIn(access), kind: deploymentKind, from }),
    async log(access, pod, query) {
      const path = `${podsIn(access)}/${pod}/log`
      const request = { path, query: logParameters(query), accept: '*/*' }
      const opened = await (query.follow ? openPatiently : open)(by(access), request)
      // Of a pod that no node has taken there is no log: 204.
      return opened.ok ? ok(opened.value.body ?? new Blob().stream()) : opened
    },
    events(access, pod) {
      const query = new URLSearchParams({
        fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}`,
        limit: String(EVENTS_MAX),
      })
      return ask(
        by(access),
        { path: `${core(access)}/events`, query },
        eventKind.list(EVENTS_MAX, (event) => event),
      )
    },
  }
}

interface Place {
  readonly namespace: Label
}

const core = ({ namespace }: Place) => `/api/v1/namespaces/${namespace}`
const podsIn = (place: Place) => `${core(place)}/pods`
const deploymentsIn = ({ namespace }: Place) => `/apis/apps/v1/namespaces/${namespace}/deployments`
const deploymentPath = (place: Place, name: Subdomain) => `${deploymentsIn(place)}/${name}`

/** Without a resource version: what the API server has now, in pages. `resourceVersion=0` would ignore the limit. */
function listRequest(path: string, { limit, after, labelSelector }: ListQuery): ApiRequest {
  const query = new URLSearchParams({ limit: String(limit) })
  if (after !== null) query.set('continue', after)
  if (labelSelector !== null) query.set('labelSelector', labelSelector)
  return { path, query }
}

const restartRequest = (path: string, restartedAt: string): ApiRequest => ({
  path,
  query: new URLSearchParams({ fieldManager: 'portico' }),
  patch: { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } },
})

function logParameters({ container, follow, previous, tailLines }: LogQuery): URLSearchParams {
  const query = new URLSearchParams()
  if (container !== null) query.set('container', container)
  if (follow) query.set('follow', 'true')
  if (previous) query.set('previous', 'true')
  if (tailLines !== null) query.set('tailLines', String(tailLines))
  return query
}
