import { entityPath, type PromotionState, readState } from './apps.ts'
import { type Connection, connect, piecesOf, refusal } from './connection.ts'
import { ClientFailure, usage } from './failure.ts'
import { openPage } from './login.ts'
import { line } from './print.ts'

export interface LogsRequest {
  readonly portal?: string
  readonly in?: string
  readonly pod?: string
  readonly container?: string
  readonly follow: boolean
  readonly tail: string
}

interface Workload {
  readonly kind: string
  readonly name: string
}

const LASTING = /^(?:Deployment|StatefulSet|DaemonSet)$/

/** The log of an application: of the pod that is named, else of all pods with an address before each line. */
export async function logs(app: string, request: LogsRequest): Promise<void> {
  const connection = connect(request)
  const { environments } = await readState(connection, app)
  const places = environments.filter(({ name }) => request.in === undefined || name === request.in)
  const place = places.flatMap(({ runsOn }) => runsOn).find(({ allowed }) => allowed === true)
  if (place === undefined) throw new ClientFailure('it runs in no cluster that you may read')
  if (!/^\d{1,5}$/.test(request.tail)) throw usage('--tail must be a number of lines')
  const query = new URLSearchParams({
    tailLines: request.tail,
    ...(request.follow && { follow: 'true' }),
    ...(request.container !== undefined && { container: request.container }),
  })
  const path = await logPath(connection, place, request.pod)
  const response = await connection.send('GET', `${path}?${query.toString()}`)
  if (!response.ok) throw await refusal(connection.portal, response)
  for await (const text of piecesOf(response, '\n')) line(text)
}

type Place = PromotionState['environments'][number]['runsOn'][number]

/** Path of the log: that of `pod`, else of the first Deployment, StatefulSet or DaemonSet, else of the first workload of another kind. */
async function logPath(connection: Connection, place: Place, pod?: string): Promise<string> {
  const { cluster, namespace, labelSelector } = place
  const base = `/api/v1/clusters/${encodeURIComponent(cluster)}/namespaces/${encodeURIComponent(namespace)}`
  if (pod !== undefined) return `${base}/pods/${encodeURIComponent(pod)}/log`
  const query = new URLSearchParams({ labelSelector })
  const workloads = await connection.read<readonly Workload[]>(
    `${base}/workloads?${query.toString()}`,
  )
  const found = workloads.find(({ kind }) => LASTING.test(kind)) ?? workloads[0]
  if (found === undefined) throw new ClientFailure(`nothing runs in ${namespace}`)
  return `${base}/workloads/${found.kind.toLowerCase()}/${encodeURIComponent(found.name)}/log`
}

/** Opens the page of an application. */
export function open(app: string, options: { readonly portal?: string }): void {
  const page = `${connect(options).portal}/entities/${entityPath(app)}`
  line(page)
  openPage(page)
}
