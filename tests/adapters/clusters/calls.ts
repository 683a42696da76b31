import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterAccess, ListQuery } from '#src/lib/ports/clusters.ts'

export const clusters = kubernetesClient()
/** For servers that never answer. No answer is in time for it on a busy machine. */
export const impatient = kubernetesClient({ deadlineMs: 100 })
export const PAGE: ListQuery = { limit: 500, after: null, labelSelector: null }
export const NAME = Subdomain.of('payments-api')
export const AT = '2026-11-21T09:30:00Z'
export const LIST_PODS = {
  namespace: Label.of('payments-dev'),
  verb: 'list',
  group: '',
  resource: 'pods',
} as const
export const same = <Item>(item: Item): Item => item

export const list = (items: readonly object[], metadata: object = {}) =>
  Response.json({ kind: 'List', metadata: { resourceVersion: '7', ...metadata }, items })

/** Every method that sends a person's token. */
export const calls: readonly [
  string,
  (access: ClusterAccess, by?: ReturnType<typeof kubernetesClient>) => Promise<unknown>,
][] = [
  ['pods', (access, by = clusters) => by.pods.list(access, PAGE, same)],
  ['deployments', (access, by = clusters) => by.deployments.list(access, PAGE, same)],
  ['deployment', (access, by = clusters) => by.deployments.read(access, NAME)],
  ['restart', (access, by = clusters) => by.deployments.restart(access, NAME, AT)],
  ['replicaSets', (access, by = clusters) => by.replicaSets.list(access, PAGE, same)],
  ['namespaces', (access, by = clusters) => by.namespaces(access, PAGE)],
  ['mayDo', (access, by = clusters) => by.mayDo(access, LIST_PODS)],
  [
    'events',
    (access, by = clusters) =>
      by.events(access, { kind: 'Pod', name: NAME, uid: null }, PAGE, same),
  ],
  ['allEvents', (access, by = clusters) => by.events(access, null, PAGE, same)],
  [
    'log',
    (access, by = clusters) =>
      by.log(access, NAME, { container: null, follow: false, previous: false, tailLines: null }),
  ],
  [
    'watchPods',
    (access, by = clusters) =>
      last(by.pods.watch(access, { resourceVersion: '7', labelSelector: null }, same)),
  ],
  [
    'watchDeployments',
    (access, by = clusters) =>
      last(by.deployments.watch(access, { resourceVersion: '7', labelSelector: null }, same)),
  ],
]

async function last<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  let found: Item | undefined
  for await (const item of items) found = item
  return found
}
