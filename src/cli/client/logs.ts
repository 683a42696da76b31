import { entityPath, readState } from './apps.ts'
import { connect, refusal } from './connection.ts'
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

interface Pod {
  readonly name: string
  readonly createdAt: string
}

/** The log of an application: of the pod that is named, else of the newest one. */
export async function logs(app: string, request: LogsRequest): Promise<void> {
  const connection = connect(request)
  const { environments } = await readState(connection, app)
  const places = environments.filter(({ name }) => request.in === undefined || name === request.in)
  const place = places.flatMap(({ runsOn }) => runsOn).find(({ allowed }) => allowed === true)
  if (place === undefined) throw new ClientFailure('it runs in no cluster that you may read')
  const base = `/api/v1/clusters/${encodeURIComponent(place.cluster)}/namespaces/${encodeURIComponent(place.namespace)}/pods`
  const pods = await connection.read<readonly Pod[]>(
    `${base}?${new URLSearchParams({ labelSelector: place.labelSelector }).toString()}`,
  )
  const newest = pods.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]
  const pod = request.pod ?? newest?.name
  if (pod === undefined) throw new ClientFailure(`no pod in ${place.namespace}`)
  if (!/^\d{1,5}$/.test(request.tail)) throw usage('--tail must be a number of lines')
  const query = new URLSearchParams({
    tailLines: request.tail,
    ...(request.follow && { follow: 'true' }),
    ...(request.container !== undefined && { container: request.container }),
  })
  const response = await connection.send(
    'GET',
    `${base}/${encodeURIComponent(pod)}/log?${query.toString()}`,
  )
  if (!response.ok) throw await refusal(connection.portal, response)
  const decoder = new TextDecoder()
  const stream: ReadableStream<Uint8Array> | null = response.body
  let rest = ''
  for await (const part of stream ?? []) {
    const lines = `${rest}${decoder.decode(part, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) line(text)
  }
  if (rest !== '') line(rest)
}

/** Opens the page of an application. */
export function open(app: string, options: { readonly portal?: string }): void {
  const page = `${connect(options).portal}/entities/${entityPath(app)}`
  line(page)
  openPage(page)
}
