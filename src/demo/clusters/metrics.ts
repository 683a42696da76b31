import { ok } from '../../lib/result.ts'
import type { RequestAttributes } from './access.ts'
import { timestamp } from './objects.ts'
import { type Outcome, refuse } from './refusal.ts'
import type { Store } from './store.ts'

export const METRICS = { group: 'metrics.k8s.io', version: 'v1beta1' } as const
const WINDOW_MS = 15_000

/** Usage of running pods as a metrics server reports it: near the requests of their containers, another share in each window. */
export function answerMetrics(
  store: Pick<Store, 'get'>,
  { resource, verb, namespace, name }: RequestAttributes,
  now: number,
): Outcome<Response> {
  const pod = store.get('Pod', namespace, name)
  const isMeasured = resource === 'pods' && verb === 'get' && pod?.kind === 'Pod'
  if (!isMeasured || pod.status.phase !== 'Running') {
    const details = { name, group: METRICS.group, kind: 'pods' }
    return refuse(
      404,
      'NotFound',
      `podmetrics.metrics.k8s.io "${namespace}/${name}" not found`,
      details,
    )
  }
  const window = Math.floor(now / WINDOW_MS)
  const containers = pod.spec.containers.map(({ name: container, resources = {} }) => {
    const share = 0.6 + (Bun.hash.crc32(`${name} ${container} ${window}`) % 100) / 250
    const memoryMi = Number.parseInt(resources.requests?.['memory'] ?? '', 10) || 64
    return {
      name: container,
      usage: {
        cpu: `${Math.round(share * 40_000_000)}n`,
        memory: `${Math.round(share * memoryMi * 1_024)}Ki`,
      },
    }
  })
  return ok(
    Response.json({
      kind: 'PodMetrics',
      apiVersion: `${METRICS.group}/${METRICS.version}`,
      metadata: { name, namespace },
      timestamp: timestamp(window * WINDOW_MS),
      window: `${WINDOW_MS / 1_000}s`,
      containers,
    }),
  )
}
