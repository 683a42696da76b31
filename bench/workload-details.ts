/**
 * Cost of the page of a workload beside reading and parsing the same lists of its API server, in interleaved rounds: a deployment
 * with `pods` pods, at most 500, in a namespace with as many services and events. `bun bench/workload-details.ts [rounds] [pods]`
 */
import { people } from '#src/demo/people.ts'
import { deployment, is, pod, RUNNING } from '#tests/domain/clusters/objects.ts'
import { list, status, world } from '#tests/routes/cluster-world.ts'
import { median } from './support/installation.ts'

const [rounds = 15, pods = 400] = process.argv.slice(2).map(Number)
const PATH = '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads/deployment/shop'
const LABELS = { app: 'shop' }
const owner = (kind: string, uid: string) => ({
  ownerReferences: [{ kind, name: 'x', uid, controller: true }],
})
const each = <Item>(make: (index: number) => Item) =>
  Array.from({ length: pods }, (_, i) => make(i))

const shop = deployment(
  { replicas: pods },
  { selector: { matchLabels: LABELS } },
  { uid: 'd', name: 'shop' },
)
const lists: Readonly<Record<string, readonly object[]>> = {
  replicasets: [
    {
      metadata: { ...shop.metadata, uid: 'r', name: 'shop-1', ...owner('Deployment', 'd') },
      spec: {
        replicas: pods,
        template: { spec: { containers: [{ name: 'a', image: 'shop:1' }] } },
      },
    },
  ],
  pods: each((index) =>
    pod(
      { phase: 'Running', containerStatuses: [is('a', RUNNING)] },
      { containers: [{ name: 'a', image: 'shop:1' }] },
      { uid: `p-${index}`, name: `shop-1-${index}`, labels: LABELS, ...owner('ReplicaSet', 'r') },
    ),
  ),
  services: each((index) => ({
    metadata: { ...shop.metadata, uid: `s-${index}`, name: `s-${index}` },
    spec: { selector: index % 2 === 0 ? LABELS : { app: `other-${index}` }, ports: [] },
  })),
  events: each((index) => ({
    metadata: { ...shop.metadata, uid: `e-${index}`, name: `e-${index}` },
    involvedObject: { kind: 'Pod', name: `shop-1-${index}`, uid: `p-${index}` },
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
  })),
}

await using at = await world((request) => {
  const name = new URL(request.url).pathname.split('/').at(-1) ?? ''
  if (name === 'shop') return Response.json(shop)
  return name in lists ? list(lists[name] ?? []) : status(404, 'not found')
})
const { cluster } = at
const { tokens } = await at.portal.identity.signInAs(people.dev)

async function route(): Promise<void> {
  const answer = await at.get(PATH, { undocumented: true })
  if (!answer.ok) throw new Error(await answer.text())
  await answer.arrayBuffer()
}

/** The same reads, one after the other. */
async function direct(): Promise<void> {
  for (const name of Object.keys(lists)) {
    const { trust, apiServer } = cluster
    await fetch(`${apiServer}/api/v1/namespaces/payments-dev/${name}`, {
      headers: { authorization: `Bearer ${tokens.idToken}` },
      tls: { ca: trust.kind === 'authority' ? trust.pem : '' },
    }).then((answer) => answer.json())
  }
}

const processorMs = async (work: () => Promise<void>) => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
const figures = { route: [] as number[], direct: [] as number[] }
for (const work of [route, direct]) await work()
for (let round = 0; round < rounds; round++) {
  figures.route.push(await processorMs(route))
  figures.direct.push(await processorMs(direct))
}
console.log(`page of a workload          ${median(figures.route).toFixed(1)} ms of processor`)
console.log(`its lists, read and parsed  ${median(figures.direct).toFixed(1)} ms`)
process.exit(0)
