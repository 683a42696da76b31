import { describe, expect, test } from 'bun:test'
import { Label } from '#src/lib/names.ts'
import { environmentRow } from '#tests/domain/clusters/cluster-request.ts'
import { deployment } from '#tests/domain/clusters/objects.ts'
import type { Cluster } from '#src/lib/ports/clusters.ts'
import { clusterAt, type Sent } from '#tests/support/api-server.ts'
import { DEPLOYMENTS, list, problemOf, status, world } from './cluster-world.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const NAMESPACES = '/api/v1/clusters/dev-east/namespaces'
const PROMOTION = '/api/v1/catalog/entities/component/payments-api/promotion'
const ENVIRONMENTS = [environmentRow('dev', '{team}-dev'), environmentRow('production', '{team}')]
const named = (name: string) => ({ metadata: { name } })

interface Asked {
  readonly namespace: string
  readonly verb: string
}

/** Answers reviews, and the list of namespaces. */
function cluster(may: (asked: Asked) => boolean, names: () => Response) {
  return (_: Request, { path, body }: Sent) => {
    if (path === '/api/v1/namespaces') return names()
    if (!path.endsWith('/selfsubjectaccessreviews')) return new Response('ok')
    const { spec } = JSON.parse(body) as { spec: { resourceAttributes: Asked } }
    return Response.json({ status: { allowed: may(spec.resourceAttributes) } }, { status: 201 })
  }
}
const forbidden = () => status(403, 'namespaces is forbidden')

describe('the namespaces of a cluster', () => {
  test('are those of the registry in which the person may list pods', async () => {
    await using at = await world(
      cluster(({ namespace, verb }) => namespace === 'payments-dev' && verb === 'list', forbidden),
      (one) => [{ ...one, environments: ENVIRONMENTS }],
    )
    const answer = await at.get(NAMESPACES)
    expect(await answer.json()).toStrictEqual([
      { name: 'payments-dev', environment: 'dev', team: 'payments', canRestart: false },
    ])
    const reviews = at.sent.length
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
    expect((await at.get(NAMESPACES, { headers })).status).toBe(304)
    // Only the list of namespaces was asked for again.
    expect(at.sent.length).toBe(reviews + 1)
  })

  test('are all that exist for who may list them, and only those', async () => {
    await using at = await world(
      cluster(
        () => true,
        () => list(['tools', 'payments-dev'].map(named)),
      ),
      (one) => [{ ...one, environments: ENVIRONMENTS }],
    )
    expect(await (await at.get(NAMESPACES)).json()).toStrictEqual([
      { name: 'payments-dev', environment: 'dev', team: 'payments', canRestart: true },
      { name: 'tools', environment: expect.anything(), team: 'tools', canRestart: true },
    ])
  })

  test('are a hundred at most, the expected ones first', async () => {
    const many = Array.from({ length: 150 }, (_, index) => named(`a${index}`))
    await using at = await world(
      cluster(
        () => true,
        () => list([...many, named('payments-dev')]),
      ),
      (one) => [{ ...one, environments: ENVIRONMENTS }],
    )
    const found = (await (await at.get(NAMESPACES)).json()) as { readonly name: string }[]
    expect(found).toHaveLength(100)
    expect(found.map(({ name }) => name)).toContain('payments-dev')
  })

  test('of who may do everything in it cost two questions', async () => {
    const many = Array.from({ length: 150 }, (_, index) => named(`a${index}`))
    await using at = await world(
      cluster(
        ({ namespace }) => namespace === '',
        () => list(many),
      ),
      (one) => [{ ...one, environments: ENVIRONMENTS }],
    )
    const found = (await (await at.get(NAMESPACES)).json()) as { readonly canRestart: boolean }[]
    expect(found.filter(({ canRestart }) => canRestart)).toHaveLength(100)
    expect(at.sent.filter(({ path }) => path.endsWith('reviews'))).toHaveLength(2)
  })

  test('are not asked for any more once a question has no answer, two at a time before', async () => {
    const many = Array.from({ length: 150 }, (_, index) => named(`a${index}`))
    let asked = 0
    await using at = await world(
      (_, { path }) => {
        if (path === '/api/v1/namespaces') return list(many)
        if (!path.endsWith('reviews')) return new Response('ok')
        asked += 1
        return asked < 10 ? Response.json({ status: { allowed: false } }) : status(503, 'x')
      },
      (one) => [{ ...one, environments: ENVIRONMENTS }],
    )
    expect((await at.get(NAMESPACES)).status).toBe(503)
    expect(asked).toBeLessThanOrEqual(11)
  })

  test('are found among 10,000, and a list that breaks off is no short list', async () => {
    const pages =
      (last: () => Response) =>
      (_: Request, { path, query }: Sent) => {
        if (path.endsWith('reviews')) return Response.json({ status: { allowed: true } })
        if (path !== '/api/v1/namespaces') return new Response('ok')
        const from = Number(query['continue'] ?? 0)
        const names = Array.from({ length: 500 }, (_, index) => named(`n${from + index}`))
        if (from < 9_500) return list(names, { continue: String(from + 500) })
        return last()
      }
    const one = (cluster: Cluster) => [{ ...cluster, environments: ENVIRONMENTS }]
    await using at = await world(
      pages(() => list([named('payments-dev')])),
      one,
    )
    const found = (await (await at.get(NAMESPACES)).json()) as { readonly name: string }[]
    expect(found.map(({ name }) => name)).toContain('payments-dev')
    await using broken = await world(
      pages(() => status(410, 'expired')),
      one,
    )
    expect((await broken.get(NAMESPACES)).status).toBeGreaterThanOrEqual(400)
  })

  test('of a cluster that cannot be asked are a problem, of an unseen one 404', async () => {
    await using at = await world(
      () => status(503, 'x'),
      (one) => [one],
    )
    expect(await problemOf(await at.get(NAMESPACES))).toMatchObject({ status: 503 })
    expect(await outcomeOf(await at.get(NAMESPACES, { as: 'outsider' }))).toBe(
      '404 cluster_not_found',
    )
  })
})

test('the events of a deployment are its own, of its replica sets and of its pods', async () => {
  const owned = (uid: string, owner: string) => ({
    metadata: {
      name: uid,
      namespace: 'payments-dev',
      uid,
      creationTimestamp: '2026-11-21T09:00:00Z',
      ownerReferences: [{ kind: 'X', name: owner, uid: owner, controller: true }],
    },
    spec: { containers: [] },
  })
  const about = (kind: string, uid: string, minute: number) => ({
    metadata: { name: uid, uid: `event-${uid}` },
    involvedObject: { kind, name: uid, uid },
    reason: kind,
    lastTimestamp: `2026-11-21T09:0${minute}:00Z`,
  })
  const own = deployment({}, {}, { uid: 'd' })
  await using at = await world((_, { path }) => {
    if (path.endsWith('/replicasets')) return list([owned('rs', 'd'), owned('rs-2', 'other')])
    if (path.endsWith('/pods')) return list([owned('p', 'rs'), owned('p-2', 'rs-2')])
    if (!path.endsWith('/events')) return Response.json(own)
    const others = [about('Pod', 'p-2', 4), about('ReplicaSet', 'rs-2', 5)]
    const mine = [about('Pod', 'p', 3), about('Deployment', 'd', 1), about('ReplicaSet', 'rs', 2)]
    return list([...others, ...mine])
  })
  const events = (await (await at.get(`${DEPLOYMENTS}/shop/events`)).json()) as object[]
  expect(events).toMatchObject([
    { object: { kind: 'Deployment', name: 'd' } },
    { object: { kind: 'ReplicaSet', name: 'rs' } },
    { object: { kind: 'Pod', name: 'p' } },
  ])
  expect(events).toHaveLength(3)
})

test('events of a deployment that does not exist are 404', async () => {
  await using at = await world(() => status(404, 'not found'))
  expect(await outcomeOf(await at.get(`${DEPLOYMENTS}/shop/events`))).toBe(
    '404 deployment_not_found',
  )
})

test('the state of a promotion says where each environment runs, on clusters that the person may see', async () => {
  const dark = await clusterAt('https://127.0.0.1:1', {
    id: Label.of('dark'),
    environments: ENVIRONMENTS,
  })
  const hidden = { ...dark, id: Label.of('hidden'), groups: ['others'] }
  const files = {
    'catalog/payments/components/payments-api.yaml':
      'apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: payments-api\nspec:\n  type: service\n  owner: group:acme/payments\n  lifecycle: development\n',
    'apps/payments/payments-api/base/kustomization.yaml': 'resources:\n  - xtenant-app.yaml\n',
    'apps/payments/payments-api/base/xtenant-app.yaml':
      'apiVersion: a.example/v1\nkind: App\nmetadata:\n  name: payments-api\nspec:\n  parameters:\n    image: acme/payments-api\n    namespace: payments\n',
    'apps/payments/payments-api/overlays/dev/kustomization.yaml': 'resources: [../../base]\n',
    'apps/payments/payments-api/overlays/staging/kustomization.yaml': 'resources: [../../base]\n',
    'apps/payments/payments-api/overlays/dev/patch-xtenant-app.yaml':
      'spec:\n  parameters:\n    namespace: own-place\n',
  }
  await using at = await world(
    cluster(({ namespace }) => namespace === 'own-place', forbidden),
    (one) => [
      { ...one, environments: [...ENVIRONMENTS, environmentRow('staging', '{team}-staging')] },
      dark,
      hidden,
    ],
    { files },
  )
  const state = (await (await at.get(PROMOTION)).json()) as {
    readonly environments: readonly { readonly name: string; readonly runsOn: object[] }[]
  }
  const runsOn = new Map(state.environments.map((each) => [each.name, each.runsOn]))
  const labelSelector = 'app.kubernetes.io/name=payments-api'
  const place = (id: string, namespace: string, allowed: boolean | null) => ({
    cluster: id,
    namespace,
    labelSelector,
    allowed,
    canRestart: allowed,
  })
  expect(runsOn.get('dev')).toStrictEqual([
    place('dev-east', 'own-place', true),
    place('dark', 'own-place', null),
  ])
  // An overlay without a namespace has that of its base.
  expect(runsOn.get('staging')).toStrictEqual([place('dev-east', 'payments', false)])
  expect(runsOn.get('production')).toStrictEqual([
    place('dev-east', 'payments', false),
    place('dark', 'payments', null),
  ])
  // So does the state that a confirmation answers with.
  const confirmed = await at.get(`${PROMOTION}/confirm`, { method: 'POST', as: 'manager' })
  const { promotion } = (await confirmed.json()) as { readonly promotion: typeof state }
  expect(promotion.environments.map((each) => each.runsOn)).toStrictEqual([...runsOn.values()])
})
